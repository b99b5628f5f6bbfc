import { runRequest } from './run-request.js';
import type { OperationName } from './sizes.js';
import type { SizedGateway } from './sized-gateway.js';

/** What MongoDB looked at for one request, on average over a few. */
export interface Examined {
  documents: number;
  indexKeys: number;
}

const REQUESTS = 12;
/** Where the ids of new pets come from. */
const PET_IDS = 'sequences';

/** Asked of MongoDB's profiler. Send the gateway no other requests meanwhile. @throws Error for a wrong answer */
export async function measureExamined(gateway: SizedGateway, name: OperationName): Promise<Examined> {
  const operation = gateway.operations[name];
  const { connection } = gateway.database;
  const database = connection.getClient().db(connection.name);
  const count = Math.min(REQUESTS, Math.max(operation.requests.length, operation.keys.secrets.length));
  const profile = database.collection('system.profile');
  // What a failed measurement has left.
  await profile.drop();
  await database.command({ profile: 2 });
  try {
    // From the second key on: the first one may still be cached.
    for (let i = 1; i <= count; i += 1) await runRequest(gateway, operation, i);
  } finally {
    await database.command({ profile: 0 });
  }
  // Updates of keys are their uses, which are written now and then beside requests.
  const ignored = operation.collection === 'apiKeys' ? ['update', 'getmore'] : ['getmore'];
  const namespaces = [operation.collection, PET_IDS].map((each) => `${connection.name}.${each}`);
  const seen = await profile.find({ ns: { $in: namespaces }, op: { $nin: ignored } }).toArray();
  await profile.drop();
  const perRequest = (member: string) =>
    seen.reduce((sum, command) => sum + Number(command[member] ?? 0), 0) / count;
  return { documents: perRequest('docsExamined'), indexKeys: perRequest('keysExamined') };
}
