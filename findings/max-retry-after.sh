#!/usr/bin/env bash
# ky and got both have the option `retry.maxRetryAfter`, for a server whose Retry-After asks for a wait that is too long.
# In got it ends the retries: the caller gets the 429 at once. In ky it shortens the wait: ky comes before the server
# allows it, as often as its limit says, and gets 429 each time. urllib3's `retry_after_max` does as ky's. RFC 9110
# section 10.2.3: Retry-After says how long the client ought to wait before the next request.
#
# Starts a server on 127.0.0.1 that answers with 429 and Retry-After: 30, and sends one GET with each client and a maximum
# of one second. Exits with 0 as long as the behaviour is the one below:
#
#   got 14.6.6, maxRetryAfter: 1000      1 request
#   ky 1.14.3, maxRetryAfter: 1000       3 requests, the last after 2 s
#   urllib3 2.8.0, retry_after_max=1     4 requests, the last after 3 s
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund got@14.6.6 ky@1.14.3
python3 -m venv python
python/bin/pip install --quiet urllib3==2.8.0
echo "$(node --version), $(python3 --version)"

cat > ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import got from 'got';
import ky from 'ky';

const times = { '/got': [], '/ky': [], '/urllib3': [] };
const server = createServer((req, res) => {
  times[req.url].push(performance.now());
  res.writeHead(429, { 'Retry-After': '30' }).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
const PYTHON = `
import sys, urllib3
retry = urllib3.Retry(3, retry_after_max=1, raise_on_status=False)
print(urllib3.request("GET", sys.argv[1], retries=retry).status)
`;

const [fromGot, fromKy] = await Promise.allSettled([
  got(`${url}/got`, { retry: { maxRetryAfter: 1000 } }),
  ky(`${url}/ky`, { retry: { maxRetryAfter: 1000 } }),
  once(spawn('python/bin/python', ['-c', PYTHON, `${url}/urllib3`], { stdio: 'inherit' }), 'exit'),
]);
console.error(`got: ${fromGot.reason.response.statusCode}, ky: ${fromKy.reason.response.status}`);
for (const [path, [first, ...others]] of Object.entries(times)) {
  const last = others.length > 0 ? `, the last after ${Math.round((others.at(-1) - first) / 1000)} s` : '';
  console.log(`${path.slice(1)}: ${others.length + 1} request${others.length > 0 ? 's' : ''}${last}`);
}
server.close();
JS
node ask.mjs | tee seen

cat > expected <<'END'
429
got: 1 request
ky: 3 requests, the last after 2 s
urllib3: 4 requests, the last after 3 s
END
diff expected seen
