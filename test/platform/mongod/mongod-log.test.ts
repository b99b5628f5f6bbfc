import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastWords, setAsideLargeLog } from '../../../src/platform/mongod/mongod-log.js';
import { until } from '../../support/until.js';
import { useEmbedded } from '../../support/use-embedded.js';

const embedded = useEmbedded();
const log = (): string => join(embedded.dataDir(), 'mongod.log');

test('a log that has grown large is set aside, one old one is kept, and mongod goes on in a new one', async () => {
  const mongod = await embedded.start();
  await expect(setAsideLargeLog(log(), Number.MAX_SAFE_INTEGER)).resolves.toBe(false);
  await expect(setAsideLargeLog(log(), 1)).resolves.toBe(true);
  process.kill(mongod.pid, 'SIGUSR1');
  // Until mongod opens it, there is none.
  const newLog = () => readFile(log(), 'utf8').catch(() => '');
  await until('the new log', async () => (await newLog()).includes('"c":"CONTROL"'));
  expect((await stat(`${log()}.1`)).size).toBeGreaterThan(0);
});

test('returns the errors after the given place as readable text', async () => {
  await mkdir(embedded.dataDir());
  const before = '{"s":"F","msg":"from the start before"}\n';
  await writeFile(
    log(),
    `${before}{"s":"I","msg":"chatter"}\n` +
      '{"s":"E","msg":"DBException in initAndListen, terminating","attr":{"error":"DBPathInUse: locked"}}\n' +
      '{"s":"I","msg":"more chatter"}\n',
  );
  await expect(lastWords(log(), before.length)).resolves.toBe(
    '  DBException in initAndListen, terminating {"error":"DBPathInUse: locked"}',
  );
});
