import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import { createServices } from '../../src/app/services.js';
import { parseConfig } from '../../src/config/config.js';
import type { FileContent } from '../../src/features/publishing/deploys/deploy.js';
import { systemClock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { chooseFreePort } from '../../test/support/free-port.js';
import { startNginx } from '../../test/support/nginx.js';
import { connect, type BenchDatabase } from '../targets/database.js';
import { startServer, type RunningServer } from '../targets/running-server.js';

/** A server of the same folder. */
export interface FileServer extends RunningServer {
  name: string;
  /** The host of the site; undefined if the server has only one. */
  host?: string;
}

/** The sites are below it. */
export const PLATFORM_HOST = 'pets.test';
const PLATFORM = { PLATFORM_HOST, PUBLIC_URL: 'http://127.0.0.1:3000' };
const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');

/**
 * With one log line for each request in a file, which is the default, or without.
 * @param settings more of them, as in the environment
 */
export async function startGatewayOfFiles(
  name: string,
  database: BenchDatabase,
  files: readonly FileContent[],
  isLogged: boolean,
  settings: Readonly<Record<string, string>> = {},
): Promise<FileServer> {
  const uri = database.uriOf(name);
  const host = await publish(uri, files);
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const logLevel = isLogged ? 'info' : 'warn';
  const env = { ...PLATFORM, MONGODB_URI: uri, PORT: '0', LOG_LEVEL: logLevel, ...settings };
  const server = await startServer(process.execPath, [GATEWAY, 'serve'], env, join(folder, 'log'));
  return {
    ...server,
    name,
    host,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Deploys the files, as the command line does. @returns the host of the site */
async function publish(uri: string, files: readonly FileContent[]): Promise<string> {
  const connection = await connect(uri);
  try {
    const log = createLogger({ level: 'error', pretty: false });
    const config = parseConfig({ ...PLATFORM, MONGODB_URI: uri });
    await prepareDatabase(config, connection, log);
    const services = await createServices(config, connection, log, systemClock);
    const change = services.administration({ role: 'command line' });
    const { id, slug } = await change.createProject({ name: 'bench', plan: 'free' });
    await change.deploySite({ projectId: id }, files);
    await services.close();
    return `${slug}.${PLATFORM_HOST}`;
  } finally {
    await connection.close();
  }
}

export async function startNodeServer(name: string, file: string, site: string): Promise<FileServer> {
  return { ...(await startServer(process.execPath, [join(__dirname, file), site])), name };
}

/** With one worker process and without an access log. @param site the folder, with `.gz` beside each file */
export async function startNginxOfFiles(site: string): Promise<FileServer> {
  const port = await chooseFreePort();
  const configuration = `
  types { text/javascript js; }
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=1000;
  gzip_static on;
  server {
    listen 127.0.0.1:${port} backlog=511;
    root ${site};
  }`;
  const nginx = await startNginx(configuration, port);
  return { name: 'nginx', url: `http://127.0.0.1:${port}`, pid: nginx.pid, stop: nginx.close };
}
