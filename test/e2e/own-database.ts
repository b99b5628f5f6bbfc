import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { testMongod } from '../support/mongod.js';

/** Gateways that bring their own mongod, one after the other in a DATA_DIR of their own, which is not there at first. */
export interface OwnDatabase {
  dataDir: string;
  env: Record<string, string>;
  start: (more?: Record<string, string>) => Promise<GatewayProcess>;
  mongodPid: () => number;
  /** Ends what still runs and removes all files. */
  close: () => Promise<void>;
}

export async function createOwnDatabase(): Promise<OwnDatabase> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'pets-gateway-test-')));
  const dataDir = join(folder, 'data');
  const env = { DATA_DIR: dataDir, MONGODB_URI: '', MONGOD_BINARY: await testMongod() };
  const started: GatewayProcess[] = [];
  return {
    dataDir,
    env,
    async start(more = {}) {
      const gateway = await startGatewayProcess({ ...env, ...more });
      started.push(gateway);
      return gateway;
    },
    mongodPid: () => (JSON.parse(readFileSync(join(dataDir, 'mongod.json'), 'utf8')) as { pid: number }).pid,
    async close() {
      await Promise.all(started.map((gateway) => gateway.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The name of the pet, once it is acknowledged; undefined when it is not. */
export async function createPet(
  { url }: GatewayProcess,
  key: string,
  name: string,
): Promise<string | undefined> {
  const response = await fetch(`${url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  }).catch(() => undefined);
  return response?.status === 201 ? ((await response.json()) as { name: string }).name : undefined;
}

/** Of every pet there is. */
export async function namesOfPets({ url }: GatewayProcess, key: string): Promise<Set<string>> {
  const names = new Set<string>();
  let path: string | undefined = '/v1/pets?limit=100';
  while (path !== undefined) {
    const response: Response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    for (const { name } of (await response.json()) as { name: string }[]) names.add(name);
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return names;
}
