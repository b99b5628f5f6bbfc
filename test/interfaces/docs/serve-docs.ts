import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { docsRoutes } from '../../../src/interfaces/docs/docs-routes.js';
import { renderError } from '../../../src/http/answers/render-error.js';
import { assignRequestId } from '../../../src/http/steps/assign-request-id.js';
import type { TestGateway } from '../../support/gateway.js';

/** The documentation alone, with the site in this folder: with no site if the folder has none. */
export async function serveDocs({ services }: TestGateway, siteFolder: string, publicUrl?: string) {
  const app = express();
  app.use(assignRequestId(services.log, false, publicUrl));
  app.use(docsRoutes(services, siteFolder));
  app.use(renderError(services));
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
