import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';
import {
  generateAccountKey,
  readAccountKey,
} from '../../../../src/features/publishing/certificates/account-key.js';
import { createAcme } from '../../../../src/features/publishing/certificates/acme.js';
import type { EncryptionKey } from '../../../../src/lib/encryption-keys.js';
import {
  startIssuance,
  type Issuance,
  type IssuanceStart,
} from '../../../../src/features/publishing/certificates/issuance.js';
import { keyAuthorization } from '../../../../src/features/publishing/certificates/key-authorization.js';
import { createKeyRing, type KeyRing } from '../../../../src/features/publishing/certificates/key-ring.js';
import {
  nextStep,
  type Step,
  type StepDeps,
} from '../../../../src/features/publishing/certificates/next-step.js';
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
  /** A process of its own: nothing is remembered from one call to the next. */
  process: (directoryUrl?: string) => StepDeps;
  start: (start?: Partial<IssuanceStart>) => Promise<Issuance>;
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
  const http = await answering(pebble.httpPort, (token) => answerOf(token));
  return {
    pebble,
    encryptionKeys,
    keyRing,
    rightAnswer,
    process: (directoryUrl = pebble.directoryUrl) => ({
      acme: createAcme({ directoryUrl, account: { key: accountKey }, ca: pebble.ca, now: () => NOW_MS }),
      keyRing,
      now: () => NOW_MS,
    }),
    start: (start) => {
      const hostname = `h${randomBytes(4).toString('hex')}.example`;
      const whole = { id: 'd1', hostname, profile: PEBBLE_PROFILE, replaces: undefined, ...start };
      return startIssuance(whole, keyRing);
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

/** Takes steps until there is none left, or until `enough` says so. Times to wait are passed over. */
export async function takeSteps(
  issuance: Issuance,
  deps: () => StepDeps,
  enough: (issuance: Issuance) => boolean = () => false,
): Promise<Issuance> {
  let step: Step = { issuance, nextRunAt: new Date(NOW_MS) };
  return until('the issuance to end', async () => {
    do {
      if (enough(step.issuance) || step.nextRunAt === undefined) return step.issuance;
      step = await nextStep(stored(step.issuance), deps());
    } while (step.nextRunAt?.getTime() === NOW_MS);
    return undefined;
  });
}

/** As it comes back from MongoDB. */
export function stored(issuance: Issuance): Issuance {
  const bytes = mongo.BSON.serialize(issuance);
  return mongo.BSON.deserialize(bytes, { promoteBuffers: true }) as Issuance;
}
