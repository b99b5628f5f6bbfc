import type { Clock } from '../lib/clock.js';
import type { AccountKey } from './account-key.js';
import {
  authorizationAnswer,
  directoryAnswer,
  orderAnswer,
  problemAnswer,
  renewalAnswer,
  type Authorization,
  type Directory,
} from './acme-answers.js';
import { AcmeError, BAD_NONCE, failureOf, NO_TYPE, type ProblemOrigin } from './acme-failure.js';
import { askHttps, type HttpsAnswer, type HttpsQuestion } from './ask-https.js';
import type { RenewalAdvice } from './renewal-time.js';
import { retryAfterMs } from './retry-after.js';
import type { z } from 'zod';

export interface AcmeOptions {
  directoryUrl: string;
  account: { key: AccountKey; contact?: readonly string[] };
  /** PEM of the roots to trust for the CA's own HTTPS, in place of the system's. */
  ca?: string;
  now: Clock;
  /** Of one HTTP request. */
  timeoutMs?: number;
}

export interface Order extends Omit<z.infer<typeof orderAnswer>, 'error'> {
  url: string;
  error?: z.infer<typeof orderAnswer>['error'];
  /** What the CA asks to wait before looking again. */
  retryAfterMs: number | undefined;
}

export interface NewOrder {
  hostname: string;
  profile?: string | undefined;
  /** The ARI identifier of the certificate that this one takes the place of (RFC 9773, 5). */
  replaces?: string | undefined;
}

/**
 * A CA, one step at a time: a call sends one request and what that needs (the directory, a nonce, the account's URL),
 * never waits, and never repeats anything but a request whose nonce was refused. Every call can throw AcmeError.
 */
export interface Acme {
  /** The names that stand for this CA in CAA records. */
  caaIdentities(): Promise<readonly string[]>;
  newOrder(order: NewOrder): Promise<Order>;
  order(url: string): Promise<Order>;
  authorization(url: string): Promise<Authorization>;
  /** Tells the CA that it may look for the answer to a challenge. */
  answerChallenge(url: string): Promise<void>;
  /** @param csr DER */
  finalize(order: Order, csr: Buffer): Promise<Order>;
  /** The chain in PEM, the certificate itself first. */
  certificate(url: string): Promise<string>;
  /** When to renew, as the CA sees it; undefined where it has no opinion (RFC 9773). */
  renewalAdvice(ariId: string): Promise<RenewalAdvice | undefined>;
}

/** RFC 8555, 6.5: the refusal brings the next nonce. */
const MAX_NONCES = 10;
const MAX_KEPT_NONCES = 20;
const DIRECTORY_AGE_MS = 60 * 60 * 1000;

/**
 * The account is the one of its key: it is found or made at the first request that needs it (RFC 8555, 7.3), so that
 * its URL is stored nowhere and a CA that has lost it gets it again.
 */
export function createAcme(options: AcmeOptions): Acme {
  const { directoryUrl, account, ca, now, timeoutMs = 30_000 } = options;
  const nonces: string[] = [];
  let directory: { value: Directory; readAtMs: number } | undefined;
  let accountUrl: Promise<string> | undefined;

  async function ask(question: Omit<HttpsQuestion, 'ca' | 'timeoutMs'>): Promise<HttpsAnswer> {
    const headers = { 'User-Agent': 'pets-gateway', 'Accept-Language': 'en', ...question.headers };
    try {
      return await askHttps({ ...question, headers, ca, timeoutMs });
    } catch (cause) {
      // When several addresses were tried, only the code says why none answered.
      const { message, code } = cause as NodeJS.ErrnoException;
      throw unavailable(`${new URL(question.url).host}: ${message || (code ?? 'no answer')}`, cause);
    }
  }

  const waitOf = (answer: HttpsAnswer) => retryAfterMs(answer.headers['retry-after'], now());

  function refusalOf(answer: HttpsAnswer, about?: ProblemOrigin['about']): AcmeError {
    const problem = problemAnswer.parse(jsonOf(answer));
    const origin = { status: answer.status, retryAfterMs: waitOf(answer), ...(about && { about }) };
    return new AcmeError(failureOf(problem, origin));
  }

  async function get(url: string): Promise<HttpsAnswer> {
    const answer = await ask({ method: 'GET', url });
    if (answer.status !== 200) throw refusalOf(answer);
    return answer;
  }

  async function readDirectory(): Promise<Directory> {
    if (directory === undefined || now() - directory.readAtMs > DIRECTORY_AGE_MS)
      directory = { value: read(directoryAnswer, await get(directoryUrl)), readAtMs: now() };
    return directory.value;
  }

  async function takeNonce(): Promise<string> {
    const kept = nonces.pop();
    if (kept !== undefined) return kept;
    const answer = await ask({ method: 'HEAD', url: (await readDirectory()).newNonce });
    const nonce = nonceOf(answer);
    if (nonce === undefined) throw refusalOf(answer);
    return nonce;
  }

  /** @param identity how the request says whose it is: by the account's URL, or by its key */
  async function post(
    url: string,
    payload: unknown,
    identity: () => Promise<object>,
    { about, accept = 'application/json' }: { about?: ProblemOrigin['about']; accept?: string } = {},
  ): Promise<HttpsAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const header = { ...(await identity()), nonce: await takeNonce(), url };
      const answer = await ask({
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/jose+json', Accept: accept },
        body: JSON.stringify(account.key.sign(header, payload)),
      });
      const nonce = nonceOf(answer);
      if (nonce !== undefined && nonces.length < MAX_KEPT_NONCES) nonces.push(nonce);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const refusal = refusalOf(answer, about);
      if (refusal.failure.kind === 'account_gone') accountUrl = undefined;
      if (refusal.failure.type !== BAD_NONCE || attempt === MAX_NONCES) throw refusal;
    }
  }

  const byKey = () => Promise.resolve({ jwk: account.key.jwk });

  async function findOrCreateAccount(): Promise<string> {
    const { newAccount } = await readDirectory();
    const wanted = { termsOfServiceAgreed: true, contact: account.contact ?? [] };
    return locationOf(newAccount, await post(newAccount, wanted, byKey));
  }

  async function byAccount(): Promise<object> {
    const asked = (accountUrl ??= findOrCreateAccount());
    try {
      return { kid: await asked };
    } catch (error) {
      if (accountUrl === asked) accountUrl = undefined;
      throw error;
    }
  }

  /** POST-as-GET of what belongs to an order. */
  const fetchOf = (url: string, accept?: string) =>
    post(url, undefined, byAccount, { about: 'order-read', ...(accept !== undefined && { accept }) });

  const orderOf = (url: string, answer: HttpsAnswer): Order => {
    return { ...read(orderAnswer, answer), url, retryAfterMs: waitOf(answer) };
  };

  return {
    caaIdentities: async () => (await readDirectory()).meta.caaIdentities,
    async newOrder({ hostname, profile, replaces }) {
      const { newOrder, renewalInfo } = await readDirectory();
      const wanted = {
        identifiers: [{ type: 'dns', value: hostname }],
        ...(profile !== undefined && { profile }),
        // RFC 9773, 5: only for a CA that knows ARI.
        ...(replaces !== undefined && renewalInfo !== undefined && { replaces }),
      };
      const answer = await post(newOrder, wanted, byAccount);
      return orderOf(locationOf(newOrder, answer), answer);
    },
    order: async (url) => orderOf(url, await fetchOf(url)),
    authorization: async (url) => read(authorizationAnswer, await fetchOf(url)),
    async answerChallenge(url) {
      await post(url, {}, byAccount, { about: 'order-change' });
    },
    async finalize({ url, finalize }, csr) {
      const payload = { csr: csr.toString('base64url') };
      return orderOf(url, await post(finalize, payload, byAccount, { about: 'order-change' }));
    },
    certificate: async (url) => (await fetchOf(url, 'application/pem-certificate-chain')).body,
    async renewalAdvice(ariId) {
      const { renewalInfo } = await readDirectory();
      if (renewalInfo === undefined) return undefined;
      const answer = await get(`${renewalInfo}/${ariId}`);
      const { suggestedWindow, explanationURL } = read(renewalAnswer, answer);
      return { window: suggestedWindow, explanationUrl: explanationURL, retryAfterMs: waitOf(answer) };
    },
  };
}

function read<T>(shape: z.ZodType<T>, answer: HttpsAnswer): T {
  const parsed = shape.safeParse(jsonOf(answer));
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  throw unavailable(`an answer of the CA is not understood: ${path}`, parsed.error);
}

function jsonOf({ body }: HttpsAnswer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function locationOf(askedUrl: string, { headers: { location = '' } }: HttpsAnswer): string {
  if (location === '' || !URL.canParse(location, askedUrl))
    throw unavailable('an answer of the CA has no Location');
  return new URL(location, askedUrl).href;
}

function nonceOf({ headers }: HttpsAnswer): string | undefined {
  const nonce = headers['replay-nonce'];
  return typeof nonce === 'string' ? nonce : undefined;
}

function unavailable(detail: string, cause?: unknown): AcmeError {
  return new AcmeError({ kind: 'unavailable', type: NO_TYPE, detail }, cause);
}
