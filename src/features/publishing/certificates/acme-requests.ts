import type { z } from 'zod';
import { HOUR_MS, type Clock } from '../../../lib/clock.js';
import type { AccountKey } from './account-key.js';
import { directoryAnswer, problemAnswer, retryAfterMs, type Directory } from './acme-answers.js';
import { AcmeError, BAD_NONCE, failureOf, NO_TYPE, type ProblemOrigin } from './acme-failure.js';
import { askHttps, type HttpsAnswer, type HttpsQuestion } from './ask-https.js';

export interface AcmeOptions {
  directoryUrl: string;
  account: { key: AccountKey; contact?: readonly string[] };
  /** PEM of the roots to trust for the CA's own HTTPS, instead of the system's roots. */
  ca?: string;
  now: Clock;
  /** Timeout of one HTTP request. */
  timeoutMs?: number;
}

export interface PostOptions {
  about?: ProblemOrigin['about'];
  accept?: string;
}

/** Requests to one CA with one account. Every call can throw AcmeError. */
export interface AcmeRequests {
  directory: () => Promise<Directory>;
  /** Finds the account, or creates it. */
  accountUrl: () => Promise<string>;
  get: (url: string) => Promise<HttpsAnswer>;
  /** @param payload undefined for a POST-as-GET (RFC 8555, 6.3) */
  post: (url: string, payload: unknown, options?: PostOptions) => Promise<HttpsAnswer>;
}

/** Attempts per request: each `badNonce` rejection carries the nonce for the next attempt (RFC 8555, 6.5). */
const MAX_NONCES = 10;
const MAX_KEPT_NONCES = 20;
const DIRECTORY_AGE_MS = HOUR_MS;

/**
 * The key identifies the account. The first request that needs the account finds or creates it (RFC 8555, 7.3). So the
 * account URL is not stored, and a CA that lost the account gets it again.
 */
export function createAcmeRequests(options: AcmeOptions): AcmeRequests {
  const { directoryUrl, account, ca, now, timeoutMs = 30_000 } = options;
  const nonces: string[] = [];
  let directory: { value: Directory; readAtMs: number } | undefined;
  let accountUrl: Promise<string> | undefined;

  async function ask(question: Omit<HttpsQuestion, 'ca' | 'timeoutMs'>): Promise<HttpsAnswer> {
    const headers = { 'Accept-Language': 'en', ...question.headers };
    try {
      return await askHttps({ ...question, headers, ca, timeoutMs });
    } catch (cause) {
      // When Node tried several addresses, the message is empty and only the code names the cause.
      const { message, code } = cause as NodeJS.ErrnoException;
      throw unavailable(`${new URL(question.url).host}: ${message || (code ?? 'no answer')}`, cause);
    }
  }

  function refusalOf(answer: HttpsAnswer, about?: ProblemOrigin['about']): AcmeError {
    const problem = problemAnswer.parse(jsonOf(answer));
    const origin = { status: answer.status, retryAfterMs: waitOf(answer, now()), ...(about && { about }) };
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

  /** @param identity the JWS header that identifies the sender: the account URL or the account key */
  async function postAs(
    identity: () => Promise<object>,
    url: string,
    payload: unknown,
    { about, accept = 'application/json' }: PostOptions = {},
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
    return locationOf(newAccount, await postAs(byKey, newAccount, wanted));
  }

  async function urlOfAccount(): Promise<string> {
    const asked = (accountUrl ??= findOrCreateAccount());
    try {
      return await asked;
    } catch (error) {
      if (accountUrl === asked) accountUrl = undefined;
      throw error;
    }
  }

  const byAccount = async () => ({ kid: await urlOfAccount() });

  return {
    directory: readDirectory,
    accountUrl: urlOfAccount,
    get,
    post: (url, payload, postOptions) => postAs(byAccount, url, payload, postOptions),
  };
}

/** The wait that the CA asks for in `Retry-After`, in milliseconds. */
export function waitOf({ headers }: HttpsAnswer, nowMs: number): number | undefined {
  return retryAfterMs(headers['retry-after'], nowMs);
}

/** @throws AcmeError if the response does not have this shape */
export function read<T>(shape: z.ZodType<T>, answer: HttpsAnswer): T {
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

/** @throws AcmeError if the response has no valid Location */
export function locationOf(askedUrl: string, { headers: { location = '' } }: HttpsAnswer): string {
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
