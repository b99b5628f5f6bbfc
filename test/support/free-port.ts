import { randomInt } from 'node:crypto';
import { isPortFree } from '../../src/platform/mongod/mongod-connection.js';

/** Below the ports that a gateway chooses from for its mongod, and below those of outgoing connections. */
const LOWEST_PORT = 10_000;
const PORTS_PER_WORKER = 1_000;
const WORKERS = 10;

const worker = Number(process.env['JEST_WORKER_ID'] ?? 1) % WORKERS;
let chosen = randomInt(PORTS_PER_WORKER);

/**
 * A port of 127.0.0.1 for a program that cannot choose one itself. Each worker of a run has its own to choose from,
 * and gives none twice before it has given them all: between the choice and the program's bind nobody else takes it.
 */
export async function chooseFreePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_PER_WORKER; tries += 1) {
    chosen = (chosen + 1) % PORTS_PER_WORKER;
    const port = LOWEST_PORT + worker * PORTS_PER_WORKER + chosen;
    if (await isPortFree(port)) return port;
  }
  throw new Error('no port on 127.0.0.1 is free');
}
