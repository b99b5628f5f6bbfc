import type { Connection } from 'mongoose';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import { DOMAINS_COLLECTION } from '../../src/features/publishing/domains/mongo-domains-store.js';
import {
  isActive,
  startDomainGateway,
  startDomainWorld,
  type DomainGateway,
  type DomainWorld,
} from '../support/domain-gateway.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';

/** Holds the database and answers challenges; the work is for the processes. */
let node: DomainGateway;
let world: DomainWorld;
let raw: Connection;
let running: GatewayProcess[] = [];

beforeAll(async () => {
  world = await startDomainWorld();
  node = await startDomainGateway(world);
  world.answerers.push(node.domains);
  raw = await rawDatabase(node);
});
afterAll(async () => {
  await killAll();
  await raw.close();
  await node.close();
  await world.close();
});

async function startTwo(): Promise<void> {
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${node.databaseName}`;
  const env = { ...world.env, MONGODB_URI: uri.href };
  running = await Promise.all([startGatewayProcess(env), startGatewayProcess(env)]);
}

async function killAll(): Promise<void> {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop('SIGKILL')));
}

const domains = () => raw.collection<{ _id: string; certificate: Domain['certificate'] }>(DOMAINS_COLLECTION);

/** Resolves at the first write that says so. */
async function stored(id: string, is: (certificate: Domain['certificate']) => boolean): Promise<void> {
  const ofDomain = [{ $match: { 'documentKey._id': id } }];
  const changes = domains().watch(ofDomain, { fullDocument: 'updateLookup' });
  for (;;) {
    const change = await changes.next();
    if ('fullDocument' in change && is(change.fullDocument.certificate)) break;
  }
  await changes.close();
}

/** What Pebble logs with the name of a host in it, or of the order that it is for. */
const ISSUED = 'Issued certificate serial';
const ORDERED = 'Added order';

/** A domain whose gateways are dead, and this is what they left. Some are quicker than the kill: then it is another domain. */
async function killedAt(state: string) {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const before = { orders: world.pebble.logged(ORDERED), certificates: world.pebble.logged(ISSUED) };
    const domain = await node.verifying(`shop.killed-${state}-${attempt}.test`);
    const reached = stored(domain.id, ({ issuance }) => issuance?.state === state);
    await startTwo();
    await reached;
    await killAll();
    const { certificate } = await node.domains.service.get(domain.id);
    if (certificate.issuance?.state === state) return { domain, before };
    await node.domains.service.remove(domain.id);
  }
  throw new Error(`no gateway could be killed when ${state} was stored`);
}

test.each(['keyed', 'ordered', 'answering', 'finalizing'] as const)(
  'two gateways are killed when %s is stored: others continue the same order, to one certificate',
  async (state) => {
    const { domain, before } = await killedAt(state);

    // As time would have it: nobody waits here for the lease of the dead to end.
    await domains().updateOne(
      { _id: domain.id },
      { $set: { leaseUntil: new Date(0), nextRunAt: new Date() } },
    );
    await startTwo();
    await node.reaches(domain, 'a certificate', isActive);
    await killAll();

    expect(world.pebble.logged(ISSUED) - before.certificates).toBe(1);
    // Killed between opening an order and storing its address leaves one that nobody uses: ACME cannot be asked for it.
    const orders = world.pebble.logged(ORDERED) - before.orders;
    expect(orders).toBeLessThanOrEqual(state === 'keyed' ? 2 : 1);
  },
);
