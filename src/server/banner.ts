import { PETS_PATH } from '../interfaces/rest/paths.js';
import type { Seeded } from './seed.js';

export interface Running {
  host: string;
  port: number;
  hasAdmin: boolean;
  /** Set if the API answers only at this address, see docs/sites.md. */
  publicUrl: string | undefined;
  platformHost: string | undefined;
}

/** The text that a person reads when the gateway is ready. Contains secrets only on the first start. */
export function renderBanner(running: Running, seeded: Seeded): string {
  const { host, port, hasAdmin, publicUrl, platformHost } = running;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const listening = `http://${name}:${port}`;
  const url = platformHost === undefined ? listening : (publicUrl ?? listening);
  const lines = [
    '',
    'The Animal Adoption Store gateway is ready.',
    '',
    ...(url === listening ? [] : [`  Listening  ${listening}`]),
    `  REST       ${url}${PETS_PATH}`,
    `  GraphQL    ${url}/graphql`,
    `  Dashboard  ${url}/dashboard`,
    `  Reference  ${url}/docs`,
    `  Health     ${url}/health/ready`,
  ];
  if (platformHost !== undefined)
    lines.push(`  Sites      ${url.replace(/(?<=\/\/)[^:]+/, `<slug>.${platformHost}`)}`);
  const { demoSecret, adminSecret } = seeded;
  if (demoSecret !== undefined) lines.push(`  Demo key   ${demoSecret}`);
  if (adminSecret !== undefined) lines.push(`  Admin key  ${adminSecret}`);
  if (platformHost !== undefined && new URL(url).hostname !== name)
    lines.push('', `Open it by PUBLIC_URL: ${listening} is another host, which is answered 421.`);
  if (!hasAdmin) lines.push('', 'There is no admin key yet: npx pets-gateway keys create --role admin');
  if (demoSecret !== undefined || adminSecret !== undefined)
    lines.push('', 'Keys are shown this once. A lost one: npx pets-gateway keys create --help');
  if (demoSecret !== undefined)
    lines.push(
      '',
      'Try it:',
      '',
      `  curl -i -H 'Authorization: Bearer ${demoSecret}' '${url}${PETS_PATH}?limit=3'`,
    );
  return `${lines.join('\n')}\n\n`;
}
