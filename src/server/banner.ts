import { REST_OPERATIONS } from '../http/versioning/rest-operations.js';
import { originAt } from '../lib/origin.js';
import type { Paint } from '../lib/paint.js';
import type { Seeded } from './seed.js';

export interface Running {
  host: string;
  port: number;
  hasAdmin: boolean;
  /** Set if the API answers only at this address, see docs/sites.md. */
  publicUrl: string | undefined;
  platformHost: string | undefined;
  /** HTTP_PORT and HTTPS_PORT, and how visitors see them. */
  httpPort: number | undefined;
  httpsPort: number | undefined;
  publicHttpPort: number | undefined;
  publicHttpsPort: number | undefined;
}

/**
 * The text that a person reads when the gateway is ready. Contains secrets only on the first start.
 * @param paint colors for the terminal
 */
export function renderBanner(running: Running, seeded: Seeded, paint: Paint): string {
  const { host, port, hasAdmin, publicUrl, platformHost } = running;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const listening = `http://${name}:${port}`;
  const url = platformHost === undefined ? listening : (publicUrl ?? listening);
  const listeningAt = [
    listening,
    ...(running.httpPort === undefined ? [] : [`http://${name}:${running.httpPort}`]),
    ...(running.httpsPort === undefined ? [] : [`https://${name}:${running.httpsPort}`]),
  ];
  const row = (title: string, address: string) => `  ${title.padEnd(10)} ${paint('cyan', address)}`;
  const lines = [
    '',
    `  ${paint(['bold', 'green'], '✓ The Animal Adoption Store gateway is ready.')}`,
    '',
    ...(url === listening && listeningAt.length === 1 ? [] : [row('Listening', listeningAt.join(', '))]),
    row('REST', `${url}${REST_OPERATIONS.listPets.path}`),
    row('GraphQL', `${url}/graphql`),
    row('Dashboard', `${url}/dashboard`),
    row('Reference', `${url}/docs/reference`),
  ];
  if (platformHost !== undefined) lines.push(row('Sites', sitesOf(url, platformHost, running)));
  if (platformHost !== undefined && new URL(url).hostname !== name)
    lines.push(
      '',
      `  Open the address in PUBLIC_URL. The gateway answers ${listening} with 421 (misdirected request).`,
    );
  if (!hasAdmin)
    lines.push('', '  There is no admin key. Create one: npx pets-gateway keys create --role admin');
  return `${[...lines, ...keyLines(seeded, paint), ...firstRequest(url, seeded, paint)].join('\n')}\n\n`;
}

/** The address of a site once it has its certificate, as siteOriginOf in site-address.ts. */
function sitesOf(
  url: string,
  platformHost: string,
  { publicHttpsPort, publicHttpPort }: Pick<Running, 'publicHttpPort' | 'publicHttpsPort'>,
): string {
  const host = `<slug>.${platformHost}`;
  if (publicHttpsPort !== undefined) return originAt('https', host, publicHttpsPort);
  if (publicHttpPort !== undefined) return originAt('http', host, publicHttpPort);
  return url.replace(/(?<=\/\/)[^:]+/, host);
}

function keyLines({ demoSecret, adminSecret }: Seeded, paint: Paint): string[] {
  const key = (title: string, secret: string) => `  ${title}  ${paint('bold', secret)}`;
  const keys = [
    ...(demoSecret === undefined ? [] : [key('Demo key ', demoSecret)]),
    ...(adminSecret === undefined ? [] : [key('Admin key', adminSecret)]),
  ];
  if (keys.length === 0) return [];
  const heading = paint(['bold', 'yellow'], 'Copy your keys now. They are shown only this once.');
  return [
    '',
    `  ${heading}`,
    '',
    ...keys,
    '',
    '  If you lose a key, create another: npx pets-gateway keys create --help',
  ];
}

function firstRequest(url: string, { demoSecret }: Seeded, paint: Paint): string[] {
  if (demoSecret === undefined) return [];
  const curl = `curl -s -H 'Authorization: Bearer ${demoSecret}' '${url}${REST_OPERATIONS.listPets.path}?limit=3'`;
  const asTable = `node -e 'console.table(JSON.parse(fs.readFileSync(0)))'`;
  return ['', `  ${paint('bold', 'Try it:')}`, '', `  ${curl} | ${asTable}`];
}
