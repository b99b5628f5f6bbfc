import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { chooseFreePort } from './free-port.js';
import { spawnMongod } from '../../src/platform/mongod/mongod-process.js';
import type { Certificates } from './certificates.js';
import { testMongod } from './mongod.js';
import { until } from './until.js';

export interface TlsMongod {
  /** `localhost:27017`: the name in its certificate. */
  host: string;
  close: () => Promise<void>;
}

/** A replica set of one node in this folder that takes TLS only, and this user only. */
export async function startTlsMongod(
  folder: string,
  { ca, certificateAndKey }: Certificates,
  { user, password }: { user: string; password: string },
): Promise<TlsMongod> {
  const host = `localhost:${await chooseFreePort()}`;
  const keyFile = join(folder, 'mongod.keyfile');
  await writeFile(keyFile, 'theMembersOfThisSetKnowEachOtherByThis', { mode: 0o600 });
  await mkdir(join(folder, 'db'));
  const mongod = await spawnMongod(
    await testMongod(),
    [
      ...['--dbpath', join(folder, 'db'), '--bind_ip', 'localhost', '--port', host.split(':')[1] ?? ''],
      ...['--replSet', 'rs0', '--keyFile', keyFile, '--nounixsocket'],
      ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', certificateAndKey, '--tlsCAFile', ca],
      '--tlsAllowConnectionsWithoutCertificates',
      ...['--logpath', join(folder, 'mongod.log')],
    ],
    join(folder, 'mongod-output.log'),
  );
  const uri = `mongodb://${host}/?directConnection=true`;
  const client = new mongo.MongoClient(uri, {
    tls: true,
    tlsCAFile: ca,
    serverSelectionTimeoutMS: 1000,
    runtimeAdapters: { os },
  });
  try {
    const admin = client.db('admin');
    await until('mongod to listen', () => client.connect().catch(() => undefined));
    // Allowed once, from localhost, as long as there is no user.
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    await until(
      'mongod to take writes',
      async () => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true,
    );
    await admin.command({ createUser: user, pwd: password, roles: ['root'] });
    return { host, close: () => mongod.stop() };
  } catch (error) {
    await mongod.stop();
    throw error;
  } finally {
    await client.close();
  }
}
