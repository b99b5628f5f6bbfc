import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useGateway } from '../../support/gateway.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import { serveDocs } from './serve-docs.js';

/** The examples of the docs call the gateway that serves them. */
const EXAMPLE = 'http://127.0.0.1:3000';

const gateway = useGateway();
const folder = useTemporaryFolder();
let docs: Awaited<ReturnType<typeof serveDocs>> | undefined;
afterEach(() => docs?.close());

/** A site of one page with one script, as `npm run docs` names them. */
async function siteFolder(): Promise<string> {
  await mkdir(join(folder(), 'assets'), { recursive: true });
  await writeFile(join(folder(), 'index.html'), `<code>curl ${EXAMPLE}/v1/pets</code>`);
  await writeFile(join(folder(), 'assets', 'index.1234.js'), `const code = "${EXAMPLE}/graphql";`);
  return folder();
}

async function askAs(url: string, host: string, path: string) {
  return sendRaw(url, rawHead(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));
}

test('without PUBLIC_URL, they have a host of this machine from the request, and no shared cache keeps the page', async () => {
  docs = await serveDocs(gateway, folder());
  for (const path of ['/docs/http', '/docs/graphql', '/docs/quickstart']) {
    const answer = await fetch(docs.url + path);
    const page = await answer.text();
    expect(page).toMatch(`${docs.url}/`);
    expect(page).not.toMatch(`${EXAMPLE}/v1`);
    expect(page).not.toMatch(`${EXAMPLE}/graphql`);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(docs.url + path, {
      headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
    expect((await askAs(docs.url, 'localhost:8080', path)).body).toContain('http://localhost:8080/');
  }
});

test.each([
  'pets.b.example',
  'pets.b.example:8080',
  'pets.example"><script>',
  "pets'.example",
  'a@b.example',
  '',
  'a'.repeat(300),
])('a Host that is not of this machine, %j, leaves the example', async (host) => {
  docs = await serveDocs(gateway, folder());
  const { status, body } = await askAs(docs.url, host, '/docs/http');
  expect(status).toBe(200);
  expect(body).toContain(`${EXAMPLE}/v1/pets`);
  expect(body).not.toContain('<script>');
  expect(body).not.toContain('b.example');
  expect(body).not.toContain('pets&#39;');
});

test('with PUBLIC_URL, they have it for every host, compressed', async () => {
  docs = await serveDocs(gateway, folder(), 'https://pets.example');
  const answer = await fetch(`${docs.url}/docs/http`);
  expect(answer.headers.get('content-encoding')).toMatch(/^(?:br|gzip)$/);
  expect(answer.headers.get('cache-control')).toBe('public, no-cache');
  const page = await answer.text();
  expect(page).toContain('https://pets.example/v1/pets');
  expect(page).not.toMatch(`${EXAMPLE}/v1`);
});

test('a PUBLIC_URL with a character that could end a text leaves the example', async () => {
  docs = await serveDocs(gateway, folder(), "https://pets'.example");
  expect(await (await fetch(`${docs.url}/docs/http`)).text()).toContain(`${EXAMPLE}/v1/pets`);
});

test('pages and scripts of the built site have it too', async () => {
  docs = await serveDocs(gateway, await siteFolder(), 'https://pets.example');
  const read = async (path: string) => (await fetch(`${docs?.url}${path}`)).text();
  expect(await read('/docs')).toBe('<code>curl https://pets.example/v1/pets</code>');
  expect(await read('/docs/assets/index.1234.js')).toBe('const code = "https://pets.example/graphql";');
});

test('commands for the machine of the gateway stay as they are', async () => {
  docs = await serveDocs(gateway, folder(), 'https://pets.example');
  expect(await (await fetch(`${docs.url}/docs/systemd`)).text()).toContain(`${EXAMPLE}/health/ready`);
  expect(await (await fetch(`${docs.url}/docs/quickstart`)).text()).toContain(`PUBLIC_URL=${EXAMPLE}`);
});
