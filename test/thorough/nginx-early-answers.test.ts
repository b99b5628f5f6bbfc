import { chooseFreePort } from '../support/free-port.js';
import { useGateway } from '../support/gateway.js';
import { startNginx, type Nginx } from '../support/nginx.js';

/** An nginx that speaks HTTP/1.0 to the gateway, as it does by default. */
const BODY = Buffer.alloc(11 * 1024 * 1024, 'x');
const TIMES = 30;

let nginx: Nginx;
afterAll(() => nginx.close());
const gateway = useGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' } });
let url: string;
beforeAll(async () => {
  const port = await chooseFreePort();
  url = `http://127.0.0.1:${port}`;
  const server = `listen 127.0.0.1:${port}; client_max_body_size 20m; location / { proxy_pass ${gateway.url}; }`;
  nginx = await startNginx(`server { ${server} }`, port);
});

test.each([
  ['POST', '/v1/pets'],
  ['PUT', '/deploys/dep_x/archive'],
  ['POST', '/graphql'],
])('passes on the 401 to %s %s with 11 MiB, and answers no 502', async (method, path) => {
  const statuses: number[] = [];
  for (let i = 0; i < TIMES; i++) {
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/gzip' };
    const answer = await fetch(url + path, { method, headers, body: BODY });
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  expect(statuses).toEqual(Array<number>(TIMES).fill(401));
});
