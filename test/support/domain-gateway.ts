import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Project } from '../../src/projects/project.js';
import { keyAuthorization } from '../../src/certificates/key-authorization.js';
import type { CustomerDomains } from '../../src/customer-domains.js';
import { startGateway, type TestGateway } from './gateway.js';
import { startKnot, type Knot } from './knot.js';
import { PEBBLE_PROFILE, startPebble, type Pebble, type PebbleOptions } from './pebble.js';

export const PLATFORM_HOST = 'pets.test';

/** A DNS, a certificate authority that asks it, and gateways that use both. */
export interface DomainWorld {
  knot: Knot;
  pebble: Pebble;
  /** Settings of a gateway in this world. */
  env: Record<string, string>;
  /** How challenges are answered: by these, the one after the other until one knows an answer. */
  answerers: CustomerDomains[];
  close: () => Promise<void>;
}

export async function startDomainWorld(pebbleOptions: Partial<PebbleOptions> = {}): Promise<DomainWorld> {
  const knot = await startKnot();
  const answerers: CustomerDomains[] = [];
  const challenges = createServer((req, res) => {
    void answerOf(answerers, req.headers.host ?? '', req.url ?? '').then((answer) =>
      res.writeHead(answer === undefined ? 404 : 200).end(answer),
    );
  });
  challenges.listen(0, '127.0.0.1');
  await once(challenges, 'listening');
  const { port: httpPort } = challenges.address() as AddressInfo;
  const pebble = await startPebble({ dnsServer: knot.address, httpPort, ...pebbleOptions });
  return {
    knot,
    pebble,
    answerers,
    env: {
      PLATFORM_HOST,
      PUBLIC_URL: 'http://127.0.0.1:3000',
      DNS_SERVERS: knot.address,
      ACME_DIRECTORY_URL: pebble.directoryUrl,
      ACME_CA_FILE: pebble.files.ca,
      ACME_PROFILE: PEBBLE_PROFILE,
      KEY_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    },
    async close() {
      challenges.close();
      challenges.closeAllConnections();
      await pebble.close();
      await knot.close();
    },
  };
}

const PREFIX = '/.well-known/acme-challenge/';

async function answerOf(answerers: readonly CustomerDomains[], host: string, path: string) {
  const name = host.replace(/:\d+$/, '');
  for (const { store, accountKey } of answerers)
    if (path.startsWith(PREFIX) && accountKey !== undefined && (await store.isIssuing(name)))
      return keyAuthorization(path.slice(PREFIX.length), accountKey);
  return undefined;
}

export interface DomainGateway extends TestGateway {
  domains: CustomerDomains;
  databaseName: string;
  /** On this plan, with something deployed; its host on the platform is this machine. */
  project: (name: string, plan?: 'free' | 'pro') => Promise<Project & { host: string }>;
}

export async function startDomainGateway(
  world: DomainWorld,
  beside?: { databaseName: string },
): Promise<DomainGateway> {
  const gateway = await startGateway({ env: world.env, ...(beside && { beside }) });
  const { customerDomains, administration } = gateway.services;
  if (customerDomains === undefined) throw new Error('PLATFORM_HOST is set');
  const change = administration({ role: 'command line' });
  return {
    ...gateway,
    domains: customerDomains,
    async project(name, plan = 'pro') {
      const { id } = await change.createProject({ name, plan });
      await change.createDeploy({ projectId: id, template: 'storefront' });
      const project = await gateway.services.projects.get(id);
      const host = `${project.slug ?? ''}.${PLATFORM_HOST}`;
      await world.knot.set(host, 'A', '127.0.0.1');
      return { ...project, host };
    },
  };
}
