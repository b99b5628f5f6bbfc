import { runProgram } from '../support/run-program.js';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { until } from '../support/until.js';

const database = freshDatabase();
afterAll(() => database.drop());

interface Line {
  level: number;
  msg: string;
  path?: string;
}

test('request lines arrive without delay, and none is lost or out of order at the end', async () => {
  const gateway = await startGatewayProcess({ MONGODB_URI: database.uri, LOG_LEVEL: 'info' });
  const lines = () =>
    gateway
      .output()
      .split('\n')
      .flatMap((line) => (line.startsWith('{"level"') ? [JSON.parse(line) as Line] : []));
  const paths = () => lines().flatMap(({ path }) => path ?? []);

  await fetch(`${gateway.url}/v1/first`);
  await until('the line of the first', () => Promise.resolve(paths().length === 1));
  // More than is gathered before it is written.
  const later = Array.from({ length: 200 }, (_, i) => `/v1/later/${i}`);
  for (const path of later) await fetch(gateway.url + path);
  expect(await gateway.stop()).toBe(0);
  expect(paths()).toEqual(['/v1/first', ...later]);
  expect(lines().at(-1)?.msg).toBe('stopped');
});

test('on a terminal, each request is a readable line', async () => {
  const { output } = await runProgram('script', [
    '--quiet',
    '--return',
    '--command',
    `${process.execPath} -e "${[
      "require('./test/support/register-typescript.cjs');",
      "const { createLogger } = require('./src/lib/logger.ts');",
      'const log = createLogger({ level: \\"info\\", pretty: process.stderr.isTTY });',
      'log.info({ method: \\"GET\\", path: \\"/v1/pets\\", status: 200, durationMs: 3.2, plan: \\"free\\" }, \\"request\\");',
    ].join(' ')}"`,
    '/dev/null',
  ]);
  // eslint-disable-next-line no-control-regex -- colours
  expect(output.replace(/\u001b\[[0-9;]*[mK]/g, '')).toMatch(
    /\d\d:\d\d:\d\d GET \/v1\/pets 200 3\.2 ms\r?$/m,
  );
});
