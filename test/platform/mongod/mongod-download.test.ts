import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, globalAgent, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { MongodNotFound, provideMongod } from '../../../src/platform/mongod/mongod-binary.js';
import { makeCertificates } from '../../support/certificates.js';
import { mustRun } from '../../support/run-program.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

/** The official download from a host that has turned bad: it serves another mongod, with an MD5 that fits. */
const folder = useTemporaryFolder();
let server: Server;
let asked: string[];

beforeEach(async () => {
  const certificates = await makeCertificates(folder());
  const archive = await archiveOfAnotherMongod();
  const md5 = createHash('md5').update(archive).digest('hex');
  asked = [];
  server = createServer(
    { cert: await readFile(certificates.certificate), key: await readFile(certificates.key) },
    (req, res) => {
      asked.push(req.url ?? '');
      res.end(req.url?.endsWith('.md5') ? `${md5}  mongod.tgz` : archive);
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  globalAgent.options.ca = await readFile(certificates.ca);
  process.env['MONGOMS_DOWNLOAD_MIRROR'] = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  // Not undefined: this agent is the one of all test files in this worker, and its options win over a request's own.
  delete globalAgent.options.ca;
  delete process.env['MONGOMS_DOWNLOAD_MIRROR'];
  delete process.env['MONGOMS_ARCHIVE_NAME'];
  server.closeAllConnections();
  server.close();
});

async function archiveOfAnotherMongod(): Promise<Buffer> {
  const bin = join(folder(), 'mongodb', 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'mongod'), '#!/bin/sh\necho "db version v8.0.17"\n');
  await chmod(join(bin, 'mongod'), 0o755);
  // The library takes nothing for an archive that is smaller than a megabyte.
  await writeFile(join(folder(), 'mongodb', 'rest'), randomBytes(2 ** 21));
  const file = join(folder(), 'mongod.tgz');
  await mustRun('tar', ['-czf', file, '-C', folder(), 'mongodb']);
  return readFile(file);
}

/** Why the official download was not used. */
async function refusal(): Promise<string> {
  const error: unknown = await provideMongod({
    cacheDir: join(folder(), 'cache'),
    path: join(folder(), 'nothing-here'),
    progress: () => undefined,
  }).catch((thrown: unknown) => thrown);
  if (!(error instanceof MongodNotFound)) throw new Error(`expected MongodNotFound, got ${String(error)}`);
  return error.attempts.find(({ what }) => what.includes('fastdl.mongodb.org'))?.reason ?? '';
}

test('an archive whose checksum is not the one in the source is never used, whatever its host says', async () => {
  process.env['MONGOMS_ARCHIVE_NAME'] = 'mongodb-linux-x86_64-debian12-8.0.17.tgz';
  expect(await refusal()).toMatch(
    /^wrong checksum of the archive: expected b774ed64[0-9a-f]{56}, received [0-9a-f]{64}$/,
  );
  expect(asked).toEqual([expect.stringMatching(/debian12-8\.0\.17\.tgz$/)]);
});

test('an archive without a checksum in the source is not even asked for, and the error says what to do', async () => {
  process.env['MONGOMS_ARCHIVE_NAME'] = 'mongodb-linux-s390x-rhel83-8.0.17.tgz';
  expect(await refusal()).toMatch(
    /^the gateway has no checksum for mongodb-linux-s390x-rhel83-8\.0\.17\.tgz and does not download it; install MongoDB 8\.0\.17 or later yourself$/,
  );
  expect(asked).toEqual([]);
});
