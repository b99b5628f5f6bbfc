import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates, type Certificates } from './certificates.js';
import { chooseFreePort } from './free-port.js';
import { insideNginx } from './nginx.js';
import { tied } from './tied-command.js';
import { until } from './until.js';

const ROOT = join(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/proxy.md'), 'utf8');
const DEPLOYED_NGINX = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8');
const APACHE_MODULES = '/etc/apache2/mods-available';
/** What Debian's package turns on by itself, and matters to a proxy. */
const APACHE_DEFAULTS = [
  'mpm_event',
  'authz_core',
  'alias',
  'deflate',
  'filter',
  'mime',
  'reqtimeout',
  'setenvif',
];

/** The proxies whose configuration docs/proxy.md has, and Debian packages. */
export const DOCUMENTED_PROXIES = ['nginx', 'HAProxy', 'Caddy', 'Apache'] as const;
export type ProxyName = (typeof DOCUMENTED_PROXIES)[number];

export interface ProxyAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  rawHeaders: string[];
  body: string;
}

export interface ProxyRequest {
  method?: string;
  headers?: Record<string, string>;
  /** Several parts are sent one after the other, chunked. */
  body?: string | Buffer | readonly Buffer[];
  /** Its own connection, unless said. */
  agent?: Agent;
  localAddress?: string;
}

export interface RunningProxy {
  name: ProxyName;
  port: number;
  /** `localhost:<port>`, which is what a client sends. */
  host: string;
  /** A PEM file. */
  ca: string;
  /** All that it has complained of. */
  output: () => string;
  /** @throws if the proxy closes the connection without a response */
  ask: (path: string, request?: ProxyRequest) => Promise<ProxyAnswer>;
  /** Keeps connections, as clients do. */
  keepingAgent: (maxSockets?: number) => Agent;
  close: () => Promise<void>;
}

interface Place {
  folder: string;
  port: number;
  certificates: Certificates;
  gateways: readonly string[];
}

/**
 * A proxy of its own in front of two gateways, configured by its block of docs/proxy.md. Addresses, ports and paths are
 * of this machine, and the API's JSON is compressed. It ends with this process.
 * @param gateways addresses with ports; the second may be the first again
 */
export async function startDocumentedProxy(
  name: ProxyName,
  gateways: readonly [string, string],
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), `pets-gateway-${name.toLowerCase()}-`));
  const certificates = await makeCertificates(folder);
  const port = await chooseFreePort();
  const file = join(folder, 'proxy.conf');
  const { program, args, configuration } = KINDS[name]({ folder, port, certificates, gateways });
  await writeFile(file, configuration);
  // Not a pipe: Apache opens /dev/stderr by its name.
  const log = await open(join(folder, 'output'), 'w');
  const child = spawn(...tied(program, args(file)), {
    stdio: ['ignore', log.fd, log.fd],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const output = () => readFileSync(join(folder, 'output'), 'utf8');
  const exited = once(child, 'exit');
  const ca = readFileSync(certificates.ca);
  const host = `localhost:${port}`;

  const running: RunningProxy = {
    name,
    port,
    host,
    ca: certificates.ca,
    output,
    ask: (path, { method = 'GET', headers = {}, body, agent, localAddress } = {}) =>
      new Promise((resolve, reject) => {
        const asked = request({
          ...{ host: '127.0.0.1', port, servername: 'localhost', ca, path, method, localAddress },
          agent: agent ?? false,
          headers: { host, ...headers },
        });
        asked.on('error', reject);
        asked.on('response', (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              rawHeaders: answer.rawHeaders,
              body: Buffer.concat(chunks).toString(),
            }),
          );
        });
        for (const part of Array.isArray(body) ? (body as readonly Buffer[]) : []) asked.write(part);
        asked.end(Array.isArray(body) ? undefined : body);
      }),
    keepingAgent: (maxSockets = 1) => new Agent({ keepAlive: true, maxSockets }),
    async close() {
      child.kill();
      await exited;
      await log.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await until(
    () => `${name} to answer:\n${output()}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended:\n${output()}`);
      return running.ask('/health/live').then(
        ({ status }) => status === 200,
        () => false,
      );
    },
  );
  return running;
}

interface Kind {
  program: string;
  args: (file: string) => string[];
  configuration: string;
}

const KINDS: Record<ProxyName, (place: Place) => Kind> = {
  nginx({ folder, port, certificates, gateways }) {
    // The page says that everything else comes from the server block of deploy/nginx.conf.
    const tls = /server \{\n(.*?)\n {2}# …/s.exec(blockOf('nginx'))?.[1] ?? '';
    const [service = '', settings = ''] = /server gateway:3000 resolve(.*);/.exec(DEPLOYED_NGINX) ?? [];
    return {
      program: process.env['NGINX_BINARY'] ?? 'nginx',
      args: (file) => ['-p', folder, '-c', file, '-e', 'stderr'],
      configuration: insideNginx(
        `gzip on;\ngzip_proxied any;\ngzip_types application/json;\n${changed(
          changed(DEPLOYED_NGINX, [
            ['resolver 127.0.0.11 valid=5s;', ''],
            [service, gateways.map((gateway) => `server ${gateway}${settings};`).join(' ')],
            ['  listen 8080;', tls],
          ]),
          [
            // nginx 1.25.1 made a directive of its own of it; Debian's is older.
            ['  http2 on;\n', ''],
            ['  listen [::]:443 ssl;\n', ''],
            ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl http2;`],
            ['server_name api.example.com;', 'server_name localhost;'],
            ['/etc/letsencrypt/live/api.example.com/fullchain.pem', certificates.certificate],
            ['/etc/letsencrypt/live/api.example.com/privkey.pem', certificates.key],
          ],
        )}`,
        folder,
      ),
    };
  },

  HAProxy: ({ port, certificates, gateways }) => ({
    program: process.env['HAPROXY_BINARY'] ?? 'haproxy',
    args: (file) => ['-db', '-f', file],
    configuration: changed(blockOf('HAProxy'), [
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['/etc/haproxy/api.example.com.pem', certificates.certificateAndKey],
      ['defaults\n', 'defaults\n  compression algo gzip\n  compression type application/json\n'],
      ...gatewaysOf(gateways),
    ]),
  }),

  Caddy: ({ folder, port, certificates, gateways }) => ({
    program: process.env['CADDY_BINARY'] ?? 'caddy',
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    configuration: `{
  admin off
  auto_https disable_redirects
  storage file_system ${folder}
}
${changed(blockOf('Caddy'), [
  [
    'api.example.com {',
    `localhost:${port} {\n  bind 127.0.0.1\n  encode gzip\n  tls ${certificates.certificate} ${certificates.key}`,
  ],
  // Since Caddy 2.8; Debian's is older.
  ['    health_fails 3\n', ''],
  ...gatewaysOf(gateways),
])}`,
  }),

  Apache: ({ folder, port, certificates, gateways }) => ({
    program: process.env['APACHE_BINARY'] ?? 'apache2',
    args: (file) => ['-DFOREGROUND', '-f', file],
    configuration: `
ServerRoot ${folder}
ServerName localhost
User www-data
Group www-data
Define APACHE_RUN_DIR ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
Mutex default:${folder}
ErrorLog /dev/stderr
LogLevel warn
Listen 127.0.0.1:${port}
${apacheModules()}
AddOutputFilterByType DEFLATE application/json
${changed(blockOf('Apache'), [
  ['<VirtualHost *:443>', `<VirtualHost *:${port}>`],
  ['ServerName api.example.com', 'ServerName localhost'],
  ['/etc/letsencrypt/live/api.example.com/fullchain.pem', certificates.certificate],
  ['/etc/letsencrypt/live/api.example.com/privkey.pem', certificates.key],
  ...gatewaysOf(gateways),
])}`,
  }),
};

const gatewaysOf = ([first = '', second = '']: readonly string[]): [string, string][] => [
  ['10.0.0.11:3000', first],
  ['10.0.0.12:3000', second],
];

/** The first block of code below this heading of the page. */
function blockOf(heading: string): string {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const block = /```(?:nginx|haproxy|caddyfile|apache)\n(.*?)```/s.exec(section)?.[1];
  if (block === undefined) throw new Error(`docs/proxy.md has no configuration for ${heading}`);
  return block;
}

/** @throws if the text does not have one of these places: the page is then another one */
function changed(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`The configuration has no "${from}":\n${result}`);
    return result.replaceAll(from, to);
  }, text);
}

/** The modules that the page enables, those that Debian enables, and those that these need. */
function apacheModules(): string {
  const enabled = /a2enmod ([a-z0-9_ ]+)/.exec(PAGE)?.[1]?.split(' ') ?? [];
  const lines = new Set<string>();
  const add = (module: string): void => {
    const load = join(APACHE_MODULES, `${module}.load`);
    const [, needed = ''] = /^# Depends: (.*)$/m.exec(readFileSync(load, 'utf8')) ?? [];
    for (const other of needed.split(' ').filter(Boolean)) add(other);
    lines.add(`Include ${load}`);
    const settings = join(APACHE_MODULES, `${module}.conf`);
    if (existsSync(settings)) lines.add(`Include ${settings}`);
  };
  for (const module of [...APACHE_DEFAULTS, ...enabled]) add(module);
  return [...lines].join('\n');
}
