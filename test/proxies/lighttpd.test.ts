import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFreePort } from '../support/free-port.js';
import { tapGateway, type Tap } from '../support/gateway-tap.js';
import { useGateway } from '../support/gateway.js';
import { rawHead, sendRaw } from '../support/raw-http.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { tied } from '../support/tied-command.js';
import { until } from '../support/until.js';

const gateway = useGateway();
const folder = useTemporaryFolder();

test('docs/proxy.md says rightly why not to use lighttpd', async () => {
  const tap = await tapGateway(gateway.url);
  const lighttpd = await startLighttpd(tap);
  const ask = (path: string, ...headers: string[]) =>
    sendRaw(
      lighttpd.url,
      rawHead(
        `GET ${path} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        'X-Forwarded-For: 192.0.2.1',
        ...headers,
      ),
    );
  try {
    await ask('/v1/pets/%35%2Fx/../y');
    const head = tap.requests.at(-1)?.head ?? '';
    expect(head.split('\r\n')[0]).toBe('GET /v1/pets/5/y HTTP/1.1');
    expect(head).toMatch(/^X-Forwarded-For: 192\.0\.2\.1, /im);

    const refused = await ask('/v1/pets', `X-A: ${'a'.repeat(9 * 1024)}`);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([431, 'text/html']);

    await ask('/v1/pets');
    expect(tap.requests.filter(({ idleMs }) => idleMs !== undefined)).toEqual([]);

    tap.loseResponses('GET', 1);
    const lost = await ask('/v1/pets');
    expect([lost.status, lost.headers.get('content-type')]).toEqual([500, 'text/html']);
  } finally {
    await lighttpd.close();
    await tap.close();
  }
});

async function startLighttpd({ hosts: [gatewayHost] }: Tap) {
  const port = await chooseFreePort();
  const [host, gatewayPort] = gatewayHost.split(':');
  const file = join(folder(), 'lighttpd.conf');
  await writeFile(
    file,
    `server.document-root = "${folder()}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_proxy")
proxy.server = ("" => (("host" => "${host}", "port" => ${gatewayPort})))
`,
  );
  const child = spawn(...tied(process.env['LIGHTTPD_BINARY'] ?? 'lighttpd', ['-D', '-f', file]), {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await until('lighttpd to answer', () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    async close() {
      child.kill();
      await exited;
    },
  };
}
