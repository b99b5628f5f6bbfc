import { request, type IncomingHttpHeaders } from 'node:http';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { ApiKey } from '../../../src/features/keys/api-key.js';
import type { Deploy } from '../../../src/features/publishing/deploys/deploy.js';
import type { Project } from '../../../src/features/projects/project.js';
import type { CustomQuota } from '../../../src/features/plans/plans.js';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.js';

export const PLATFORM_HOST = 'pets.localhost';
export const OPERATOR_HOST = '127.0.0.1';

/** A gateway that publishes sites. */
export function startPlatform({ env, ...options }: TestGatewayOptions = {}) {
  return startGateway({
    env: { PUBLIC_URL: `http://${OPERATOR_HOST}:3000`, PLATFORM_HOST, TRUST_PROXY: 'loopback', ...env },
    ...options,
  });
}

export interface Visit {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

export interface Visited {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/** A request to a host, whatever the gateway listens on; fetch would not let us name it. */
export function visit(
  { url }: Pick<TestGateway, 'url'>,
  host: string,
  path: string,
  { method = 'GET', headers = {}, body }: Visit = {},
): Promise<Visited> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const req = request(
      { hostname, port, method, path, headers: { host, ...headers }, agent: false },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const bytes = Buffer.concat(chunks);
          resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes, text: bytes.toString() });
        });
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}

/** A project with a browser key, and the host of its site. */
export interface Store {
  project: Project;
  host: string;
  key: ApiKey;
  secret: string;
}

export const AMPLE: CustomQuota = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };

export async function createStore(gateway: TestGateway, quota: CustomQuota = AMPLE): Promise<Store> {
  const { projects, apiKeys } = gateway.services;
  const project = await projects.create({ name: 'Paws', plan: 'enterprise', customQuota: quota });
  const host = `${project.slug}.${PLATFORM_HOST}`;
  const { apiKey, secret } = await apiKeys.create({
    name: 'page',
    role: 'browser',
    projectId: project.id,
    allowedOrigins: [`http://${host}`],
  });
  return { project, host, key: apiKey, secret };
}

/** Deploys these files, by their paths, as the command line does. */
export async function publish(
  { services }: Pick<TestGateway, 'services'>,
  projectId: string,
  files: Record<string, string | Buffer>,
  { spa = false } = {},
): Promise<Deploy> {
  const change = services.administration({ role: 'command line' });
  return change.uploadDeploy(await change.createDeploy({ projectId, spa }), archiveOf(files));
}

/** The archive of these files, by their paths. */
export function archiveOf(files: Record<string, string | Buffer>): AsyncIterable<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  return archive.pipe(createGzip());
}
