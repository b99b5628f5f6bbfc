import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ErrorRequestHandler, Express } from 'express';
import type { ApiError } from '../../src/lib/errors.js';

export interface StepAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export type StepServer = Awaited<ReturnType<typeof serveSteps>>;

/** Some steps of the pipeline on a real socket, without a gateway around them. An error is answered as JSON. */
export async function serveSteps(app: Express) {
  const sendError: ErrorRequestHandler = ({ status, code, message, details }: ApiError, _req, res, next) => {
    if (res.headersSent) next();
    else res.status(status).json({ code, message, details });
  };
  const server = app.use(sendError).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** A list of values is sent as a header for each of them. */
    ask: (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<StepAnswer> =>
      new Promise((resolve, reject) => {
        const req = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (res) => {
          let text = '';
          res.setEncoding('utf8').on('data', (part: string) => (text += part));
          res.on('end', () => {
            const body = JSON.parse(text) as Record<string, unknown>;
            resolve({ status: res.statusCode ?? 0, headers: res.headers, body });
          });
        });
        req.on('error', reject).end();
      }),
    close: () => void server.close(),
  };
}
