import type { Connection } from 'mongoose';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { AMPLE } from '../support/rest-client.js';
import { startToxiproxy, type Toxiproxy, type Wire } from '../support/toxiproxy.js';
import { issueKey } from './issue-key.js';
import { GATEWAY_ENV, liveThrough, type Fault, type Passage } from './live-through.js';
import { wireFaults } from './wire-faults.js';

/** What is at the other end of the wire. */
export interface Store {
  port: number;
  /** Settings of a gateway that reaches the store by this port of 127.0.0.1. */
  settings: (wirePort: number) => Record<string, string>;
  close: () => Promise<void>;
}

/** A gateway with a wire to one of its stores, and what can befall the wire. */
export interface WiredGateway extends ReturnType<typeof wireFaults> {
  through: (fault: Fault) => Promise<Passage>;
}

/** One for all the faults of a file, one after the other: it is never restarted. */
export function useWiredGateway(
  startStore: (database: TestDatabase) => Promise<Store>,
  boundMs: number,
): WiredGateway {
  const database = freshDatabase();
  let toxiproxy: Toxiproxy;
  let store: Store;
  let wire: Wire;
  let connection: Connection;
  let gateway: GatewayProcess;
  let secret: string;

  beforeAll(async () => {
    toxiproxy = await startToxiproxy();
    store = await startStore(database);
    wire = await toxiproxy.wireTo(store.port);
    gateway = await startGatewayProcess({
      ...GATEWAY_ENV,
      MONGODB_URI: database.uri,
      ...store.settings(wire.port),
    });
    ({ secret } = await issueKey(database, AMPLE));
    connection = await rawDatabase({ databaseName: database.dbName });
  });
  afterAll(async () => {
    await wire.restore();
    const code = await gateway.stop();
    await connection.close();
    await database.drop();
    await store.close();
    await toxiproxy.close();
    expect(code).toBe(0);
  });

  return {
    ...wireFaults(() => wire),
    through: (fault) => liveThrough(fault, { url: gateway.url, secret, database, connection, boundMs }),
  };
}
