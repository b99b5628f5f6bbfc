import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keyAuthorization } from '../../src/features/publishing/certificates/key-authorization.js';
import type { CustomerDomains } from '../../src/app/services.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import type { Clock } from '../../src/lib/clock.js';
import type { Project } from '../../src/features/projects/project.js';
import { startGateway, type TestGateway } from './gateway.js';
import { startKnot, type Knot } from './knot.js';
import { PEBBLE_PROFILE, startPebble, type Pebble, type PebbleOptions } from './pebble.js';
import { until } from './until.js';

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
  for (const { store, accountKey } of answerers) {
    const account = accountKey();
    if (path.startsWith(PREFIX) && account !== undefined && (await store.isIssuing(name)))
      return keyAuthorization(path.slice(PREFIX.length), account);
  }
  return undefined;
}

export interface DomainGateway extends TestGateway {
  domains: CustomerDomains;
  databaseName: string;
  /** On this plan, with something deployed; its host on the platform is this machine. */
  project: (name: string, plan?: 'free' | 'pro') => Promise<Project & { host: string }>;
  /** A domain of a new project that has its record and is verified as soon as a job looks. */
  verifying: (name: string) => Promise<Domain>;
  verify: (domain: Domain) => Promise<void>;
  /** The domain, once it is so. */
  reaches: (domain: Domain, what: string, is: (domain: Domain) => boolean) => Promise<Domain>;
}

export interface DomainGatewayOptions {
  beside?: { databaseName: string };
  env?: Record<string, string>;
  clock?: Clock;
}

export const isActive = ({ certificate }: Domain) => certificate.state === 'active';
/** Somebody has looked since Verify was chosen last. */
export const isAnswered = ({ dns: { requestedAt, answeredAt } }: Domain) =>
  requestedAt !== undefined && requestedAt.getTime() === answeredAt?.getTime();
export const hasProblem = (code: string) => (domain: Domain) => domain.problem?.code === code;

export async function startDomainGateway(
  world: DomainWorld,
  { env = {}, ...options }: DomainGatewayOptions = {},
): Promise<DomainGateway> {
  const gateway = await startGateway({ ...options, env: { ...world.env, ...env } });
  const { customerDomains, administration } = gateway.services;
  if (customerDomains === undefined) throw new Error('PLATFORM_HOST is set');
  const { service } = customerDomains;
  const change = administration({ role: 'command line' });

  async function project(name: string, plan: 'free' | 'pro' = 'pro') {
    const { id, slug } = await change.createProject({ name, plan });
    const host = `${slug}.${PLATFORM_HOST}`;
    await world.knot.set(host, 'A', '127.0.0.1');
    await change.createDeploy({ projectId: id, template: 'storefront' });
    return { ...(await gateway.services.projects.get(id)), host };
  }

  async function verify({ id }: Domain): Promise<void> {
    await service.verify(id);
    customerDomains?.wake();
  }

  return {
    ...gateway,
    domains: customerDomains,
    project,
    async verifying(name) {
      const { id, host } = await project(name);
      const domain = await service.add(id, name);
      await world.knot.set(name, 'CNAME', `${host}.`);
      await verify(domain);
      return domain;
    },
    verify,
    reaches: ({ id, name }, what, is) =>
      until(`${name}: ${what}`, async () => {
        const now = await service.get(id);
        return is(now) && now;
      }),
  };
}
