import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';
import {
  generateAccountKey,
  readAccountKey,
} from '../../../../src/features/publishing/certificates/account-key.js';
import { createAcme, type Acme } from '../../../../src/features/publishing/certificates/acme.js';
import type { EncryptionKey } from '../../../../src/lib/encryption-keys.js';
import {
  startIssuance,
  type Issuance,
  type IssuanceStart,
} from '../../../../src/features/publishing/certificates/issuance.js';
import { keyAuthorization } from '../../../../src/features/publishing/certificates/key-authorization.js';
import { createKeyRing, type KeyRing } from '../../../../src/features/publishing/certificates/key-ring.js';
import type { Domain, StoredCertificate } from '../../../../src/features/publishing/domains/domain.js';
import type { DomainProgress } from '../../../../src/features/publishing/domains/domains-store.js';
import { takeStep, type StepParts } from '../../../../src/features/publishing/domains/steps.js';
import { fromStored, toStored } from '../../../../src/platform/mongo/plain-values.js';
import { startLoopbackDns } from '../../../support/loopback-dns.js';
import { PEBBLE_PROFILE, startPebble, type Pebble, type PebbleOptions } from '../../../support/pebble.js';
import { until } from '../../../support/until.js';

export const NOW_MS = Date.UTC(2026, 10, 21, 12);
const PREFIX = '/.well-known/acme-challenge/';

/** A CA, a DNS to which every name is this machine, and this machine's answers to challenges. */
export interface WithCa {
  pebble: Pebble;
  encryptionKeys: readonly EncryptionKey[];
  keyRing: KeyRing;
  acme: (directoryUrl?: string) => Acme;
  /** A process of its own: nothing is remembered from one call to the next. */
  process: (options?: { directoryUrl?: string; keyRing?: KeyRing }) => StepParts;
  /** A domain whose first certificate has its key and its request. */
  start: (start?: Partial<IssuanceStart>) => Promise<Domain>;
  /** The hosts of all validations that failed. */
  failedValidations: string[];
  rightAnswer: (token: string) => string | undefined;
  /** How tokens are answered from now on. */
  answerTokens: (answer: (token: string) => string | undefined) => void;
  close: () => Promise<void>;
}

export async function startCa(options: Omit<PebbleOptions, 'dnsServer'> = {}): Promise<WithCa> {
  const dns = await startLoopbackDns();
  const pebble = await startPebble({ ...options, dnsServer: dns.address });
  const accountKey = readAccountKey(generateAccountKey());
  const encryptionKeys = [{ id: 'k1', secret: randomBytes(32) }];
  const keyRing = createKeyRing(encryptionKeys);
  const rightAnswer = (token: string) => keyAuthorization(token, accountKey);
  let answerOf: (token: string) => string | undefined = rightAnswer;
  const failedValidations: string[] = [];
  const acmeAt = (directoryUrl = pebble.directoryUrl) =>
    createAcme({ directoryUrl, account: { key: accountKey }, ca: pebble.ca, now: () => NOW_MS });
  const http = await answering(pebble.httpPort, (token) => answerOf(token));
  return {
    pebble,
    encryptionKeys,
    keyRing,
    rightAnswer,
    failedValidations,
    acme: acmeAt,
    process: ({ directoryUrl = pebble.directoryUrl, keyRing: ring = keyRing } = {}) =>
      partsOf({ acme: acmeAt(directoryUrl), directoryUrl, keyRing: ring, failedValidations }),
    async start(start) {
      const hostname = `h${randomBytes(4).toString('hex')}.example`;
      const whole = { id: 'd1', hostname, profile: PEBBLE_PROFILE, replaces: undefined, ...start };
      return issuing(await startIssuance(whole, keyRing));
    },
    answerTokens(answer) {
      answerOf = answer;
    },
    async close() {
      http.close();
      http.closeAllConnections();
      await pebble.close();
      await dns.close();
    },
  };
}

async function answering(port: number, answerOf: (token: string) => string | undefined): Promise<Server> {
  const server = createServer(({ url = '' }, answer) => {
    const text = url.startsWith(PREFIX) ? answerOf(url.slice(PREFIX.length)) : undefined;
    answer.writeHead(text === undefined ? 404 : 200).end(text);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** What a step of a certificate under way needs of a gateway. */
function partsOf({
  failedValidations,
  ...authority
}: {
  acme: Acme;
  directoryUrl: string;
  keyRing: KeyRing;
  failedValidations: string[];
}): StepParts {
  const clock = () => NOW_MS;
  const project = { id: 'proj_1', name: 'Shop', plan: 'pro', createdAt: new Date(NOW_MS) };
  return {
    projects: { get: () => Promise.resolve(project) },
    keyRing: authority.keyRing,
    clock,
    onStep: () => undefined,
    onSealed: () => undefined,
    authority: {
      ...authority,
      clock,
      random: () => 0.5,
      failedValidations: {
        record: (name: string) => {
          failedValidations.push(name);
          return Promise.resolve();
        },
        since: () => Promise.resolve([]),
      },
    },
  } as unknown as StepParts;
}

function issuing(issuance: Issuance): Domain {
  const { hostname: name } = issuance;
  return {
    id: 'dom_1',
    projectId: 'proj_1',
    isPlatform: false,
    ...{ name, unicode: name, registrable: name, isApex: false, label: name },
    createdAt: new Date(NOW_MS),
    ownershipToken: 'token',
    ownershipRequired: false,
    holds: true,
    dns: { state: 'verified', verifiedAt: new Date(NOW_MS), failures: 0 },
    certificate: { state: 'issuing', issuance, failures: 0, nextAt: new Date(NOW_MS) },
    status: 'issuing',
  };
}

/** Takes one step. The domain comes and goes as it does from and to MongoDB. */
export async function step(domain: Domain, parts: StepParts): Promise<Domain> {
  let after = domain;
  const save = (_claim: unknown, progress: DomainProgress) => {
    after = { ...domain, ...progress };
    return Promise.resolve(true);
  };
  const claim = { domain: stored(domain), fence: 1, isWatch: false };
  await takeStep(claim, { ...parts, domains: { save } as StepParts['domains'] });
  return stored(after);
}

/** Takes steps until the attempt has ended, or until `enough` says so. Times to wait are passed over. */
export async function takeSteps(
  start: Domain,
  parts: () => StepParts,
  enough: (issuance: Issuance) => boolean = () => false,
): Promise<Domain> {
  let domain = start;
  return until('the attempt to end', async () => {
    do {
      const { issuance } = domain.certificate;
      if (issuance === undefined || enough(issuance)) return domain;
      domain = await step(domain, parts());
    } while (domain.certificate.nextAt?.getTime() === NOW_MS);
    return undefined;
  });
}

export function issuanceOf({ certificate: { issuance } }: Domain): Issuance {
  if (issuance === undefined) throw new Error('no issuance is under way');
  return issuance;
}

export function issuedOf({ certificate, problem }: Domain): StoredCertificate {
  expect([problem, certificate.state]).toEqual([undefined, 'active']);
  if (certificate.current === undefined) throw new Error('it has no certificate');
  return certificate.current;
}

/** As it comes back from MongoDB. */
function stored(domain: Domain): Domain {
  const bytes = mongo.BSON.serialize(toStored(domain));
  return fromStored(mongo.BSON.deserialize(bytes, { promoteBuffers: true })) as Domain;
}
