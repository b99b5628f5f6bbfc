import { startGateway, type StartedGateway } from './gateway.js';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.js';

/** Several gateway processes on one database, and one within this process, whose services make keys. */
export interface Fleet {
  office: StartedGateway;
  processes: GatewayProcess[];
  close: () => Promise<void>;
}

export async function startFleet(size: number, env: Record<string, string> = {}): Promise<Fleet> {
  const office = await startGateway();
  const processes: GatewayProcess[] = [];
  const close = async () => {
    await Promise.all(processes.map((gateway) => gateway.stop('SIGKILL')));
    await office.close();
  };
  try {
    // The first one builds when it has to.
    for (let i = 0; i < size; i += 1)
      processes.push(await startGatewayProcess({ ...env, MONGODB_URI: uriOf(office), SEED_DEMO: '0' }));
  } catch (error) {
    await close();
    throw error;
  }
  return { office, processes, close };
}

/** The database of a test gateway, as MONGODB_URI. */
export function uriOf({ databaseName }: { databaseName: string }): string {
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${databaseName}`;
  return uri.href;
}
