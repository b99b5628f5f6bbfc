import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseFreePort } from '../support/free-port.js';
import { runCommand } from '../support/command-line.js';
import { startDomainWorld, type DomainWorld } from '../support/domain-gateway.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

/** Two gateways as people run them. Only the second one is where the authority looks for its answers. */
let world: DomainWorld;
const database = freshDatabase();
const gateways: GatewayProcess[] = [];
const httpsPorts: number[] = [];
let env: Record<string, string>;
let owner: string;
let project: { id: string };
const SITE_HOST = 'happy-tails.pets.test';

beforeAll(async () => {
  const httpPort = await chooseFreePort();
  world = await startDomainWorld({ httpPort });
  env = { ...world.env, LOG_LEVEL: 'info' };
  for (const port of [await chooseFreePort(), httpPort]) {
    const httpsPort = await chooseFreePort();
    httpsPorts.push(httpsPort);
    const ports = { HTTP_PORT: String(port), HTTPS_PORT: String(httpsPort) };
    gateways.push(await startGatewayProcess({ ...env, ...ports, MONGODB_URI: database.uri }));
  }
  // The command line makes sites live as well, and so must know that they need certificates.
  env = { ...env, HTTPS_PORT: String(httpsPorts[0]) };
  await world.knot.set(SITE_HOST, 'A', '127.0.0.1');
  project = await command('projects', 'create', 'Happy Tails', '--plan', 'pro');
  owner = (await command<{ secret: string }>('keys', 'create', '--project', project.id, '--role', 'owner'))
    .secret;
  await command('deploy', '--project', project.id, '--template', 'storefront');
});
afterAll(async () => {
  const codes = await Promise.all(gateways.map((gateway) => gateway.stop()));
  await world.close();
  await database.drop();
  expect(codes).toEqual([0, 0]);
});

async function command<T>(...args: string[]): Promise<T> {
  const { stdout } = await runCommand(database, [...args, '--json'], env);
  return JSON.parse(stdout) as T;
}

async function graphql<T>(query: string, variables: Record<string, unknown>): Promise<T> {
  const answer = await fetch(`${gateways[0]?.url ?? ''}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: T; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

interface DomainAnswer {
  id: string;
  status: string;
  problem: { code: string; message: string } | null;
  records: { type: string; name: string; value: string; ttl: number }[];
}
const DOMAIN = '{ id status problem { code message } records { type name value ttl } }';

/** A page of a site over HTTPS, from one of the two gateways, trusting the authority's root alone. */
function visit(host: string, port: number, ca: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      servername: host,
      ca,
      headers: { host },
      path: '/',
      agent: false,
    });
    asked.on('error', reject).on('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.end();
  });
}

/** The alert that a name gets which nobody is served at. */
const HANDSHAKE_FAILURE = /handshake failure|SSLV3_ALERT_HANDSHAKE_FAILURE/i;

/** Which gateway opened the order for this domain, by its log. */
const orderedBy = (name: string) =>
  gateways.findIndex((gateway) =>
    gateway
      .output()
      .split('\n')
      .some((line) => line.includes(name) && line.includes('ordered')),
  );

async function publish(name: string): Promise<string> {
  const { addDomain } = await graphql<{ addDomain: { domain: DomainAnswer } }>(
    `mutation ($input: AddDomainInput!) { addDomain(input: $input) { domain ${DOMAIN} } }`,
    { input: { projectId: project.id, name } },
  );
  const [record] = addDomain.domain.records;
  expect(record).toEqual({ type: 'CNAME', name: 'shop', value: SITE_HOST, ttl: 3600 });
  await world.knot.set(name, 'CNAME', `${record?.value ?? ''}.`);
  await graphql('mutation ($input: VerifyDomainInput!) { verifyDomain(input: $input) { domain { id } } }', {
    input: { id: addDomain.domain.id },
  });
  await until(`${name} to be active`, async () => {
    // As often as a person would have it, and their quota allows.
    await sleep(250);
    const { domain } = await graphql<{ domain: DomainAnswer }>(
      `query ($id: ID!) { domain(id: $id) ${DOMAIN} }`,
      { id: addDomain.domain.id },
    );
    return domain.status === 'active';
  });
  return addDomain.domain.id;
}

interface SiteAnswer {
  host: string;
  url: string;
  isHttps: boolean;
  certificateState: string;
  problem: { code: string; message: string } | null;
}

test('serves a project over HTTPS at its platform host, without setup', async () => {
  const query = `query ($id: ID!) { project(id: $id) {
    site { host url isHttps certificateState problem { code message } } } }`;
  const root = await world.pebble.root();
  const answer = await until('the site to have its certificate', async () => {
    await sleep(250);
    const answered = await graphql<{ project: { site: SiteAnswer } }>(query, {
      id: project.id,
    });
    return answered.project.site.isHttps && answered.project;
  });
  expect(answer).toEqual({
    site: {
      host: SITE_HOST,
      url: expect.stringMatching(`^https://${SITE_HOST}:${httpsPorts[0]}$`) as string,
      isHttps: true,
      certificateState: 'active',
      problem: null,
    },
  });
  for (const port of httpsPorts)
    await until('the certificate to be served', () =>
      visit(SITE_HOST, port, root).then(
        ({ status, body }) => status === 200 && body.includes('<html'),
        () => false,
      ),
    );
});

test('serves a project over HTTPS on its own domain, whichever gateway requested the certificate', async () => {
  const root = await world.pebble.root();
  // The gateways take turns as it comes: after some domains the first one has ordered for one of them, and the second
  // one, where the authority looks, has answered for it.
  for (let i = 1; i <= 10; i++) {
    const name = `shop.own-domain-${i}.test`;
    const id = await publish(name);
    for (const port of httpsPorts) {
      const { status, body } = await visit(name, port, root);
      expect(status).toBe(200);
      expect(body).toContain('<html');
    }
    expect(orderedBy(name)).not.toBe(-1);
    if (i > 1 && orderedBy(name) === 0) return;
    if (i === 1) await removeAndExpectGone(id, name, root);
  }
  throw new Error('the second gateway ordered every certificate');
});

async function removeAndExpectGone(id: string, name: string, root: string): Promise<void> {
  await graphql('mutation ($input: RemoveDomainInput!) { removeDomain(input: $input) { __typename } }', {
    input: { id },
  });
  for (const port of httpsPorts)
    await until('the domain to be refused', () =>
      visit(name, port, root).then(
        () => false,
        (error: unknown) => HANDSHAKE_FAILURE.test(String(error)),
      ),
    );
}
