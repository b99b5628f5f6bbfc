import { runCommand } from '../support/command-line.js';
import { chooseFreePort } from '../support/free-port.js';
import { freshDatabase } from '../support/database.js';
import { failGatewayProcess, startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { visit } from '../interfaces/sites/visitor.js';

const ADMIN = 'an-admin-key-for-the-test-of-sites';
const HOSTS = { PUBLIC_URL: 'http://127.0.0.1', PLATFORM_HOST: 'pets.localhost' };

describe('the built gateway, with WORKERS=2', () => {
  const database = freshDatabase();
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: '2',
      ADMIN_API_KEY: ADMIN,
      ...HOSTS,
    });
  });
  afterAll(async () => {
    expect(await gateway.stop()).toBe(0);
    await database.drop();
  });

  async function change<T>(mutation: string): Promise<T> {
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `mutation { ${mutation} }` }),
    });
    const { data, errors } = (await answer.json()) as { data: T; errors?: unknown };
    expect(errors).toBeUndefined();
    return data;
  }

  test('prints where it listens, and its public address', () => {
    expect(gateway.output()).toContain(`Listening  ${gateway.url}\n`);
    expect(gateway.output()).toContain(`REST       ${HOSTS.PUBLIC_URL}/v1/pets\n`);
    expect(gateway.output()).toContain('Sites      http://<slug>.pets.localhost\n');
    expect(gateway.output()).not.toContain('answered 421');
  });

  test('a storefront is live in every worker from the next request on, and shows the pets', async () => {
    const { createProject } = await change<{ createProject: { project: { id: string; slug: string } } }>(
      'createProject(input: { name: "Corner shop" }) { project { id slug } }',
    );
    const { id, slug } = createProject.project;
    const host = `${slug}.${HOSTS.PLATFORM_HOST}`;
    // Each on a connection of its own, so that whichever worker is next answers.
    const visitAll = (path: string) =>
      Promise.all(Array.from({ length: 10 }, () => visit(gateway, host, path)));
    expect((await visitAll('/')).map(({ status }) => status)).toEqual(Array(10).fill(404));

    await change(`createDeploy(input: { projectId: "${id}", template: storefront }) { deploy { id } }`);
    const pages = await visitAll('/');
    expect(pages.map(({ status }) => status)).toEqual(Array(10).fill(200));
    for (const path of ['/storefront.js', '/storefront.css', '/paw.svg'])
      expect((await visit(gateway, host, path)).status).toBe(200);

    const [, key] = /<meta name="api-key" content="(\w+)"/.exec(pages[0]?.text ?? '') ?? [];
    const pets = await visit(gateway, host, '/graphql?query={pets{name}}', {
      headers: { authorization: `Bearer ${key ?? ''}` },
    });
    expect(JSON.parse(pets.text)).toMatchObject({ data: { pets: [] } });
  });

  test('the command line deploys a site too, and prints its address', async () => {
    const { stdout } = await runCommand(database, ['projects', 'create', 'Other shop', '--json'], {});
    const { id } = JSON.parse(stdout) as { id: string };
    const args = ['deploy', '--project', id, '--template', 'storefront', '--json'];
    const deployed = await runCommand(database, args, HOSTS);
    expect(JSON.parse(deployed.stdout)).toMatchObject({ site: 'http://other-shop.pets.localhost' });
    expect((await visit(gateway, 'other-shop.pets.localhost', '/')).text).toContain('Other shop');
  });
});

test('prints the ports for visitors too, and the address that they see', async () => {
  const database = freshDatabase();
  const [http, https] = [String(await chooseFreePort()), String(await chooseFreePort())];
  const gateway = await startGatewayProcess({
    MONGODB_URI: database.uri,
    ...HOSTS,
    HTTP_PORT: http,
    HTTPS_PORT: https,
    PUBLIC_HTTPS_PORT: '443',
    KEY_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  });
  const { hostname } = new URL(gateway.url);
  expect(gateway.output()).toContain(
    `Listening  ${gateway.url}, http://${hostname}:${http}, https://${hostname}:${https}\n`,
  );
  expect(gateway.output()).toContain('Sites      https://<slug>.pets.localhost\n');
  expect(await gateway.stop()).toBe(0);
  await database.drop();
});

test('does not start if its own address shares a site with those it publishes', async () => {
  const { code, output } = await failGatewayProcess({
    PUBLIC_URL: 'https://api.example.com',
    PLATFORM_HOST: 'pets.example.com',
  });
  expect(code).toBe(2);
  expect(output).toContain('PUBLIC_URL and PLATFORM_HOST must not share a registrable domain');
});
