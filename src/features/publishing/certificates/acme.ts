import {
  authorizationAnswer,
  orderAnswer,
  renewalAnswer,
  type Authorization,
  type OrderAnswer,
} from './acme-answers.js';
import { createAcmeRequests, locationOf, read, waitOf, type AcmeOptions } from './acme-requests.js';
import type { HttpsAnswer } from './ask-https.js';
import type { RenewalAdvice } from './renewal-time.js';

export interface Order extends OrderAnswer {
  url: string;
  /** How long the CA asks to wait before the next request for this order. */
  retryAfterMs: number | undefined;
}

export interface NewOrder {
  hostname: string;
  profile?: string | undefined;
  /** The ARI identifier of the certificate that the new one replaces (RFC 9773, 5). */
  replaces?: string | undefined;
}

/**
 * An ACME client that takes one step at a time. A call sends one request plus those it depends on (the directory, a
 * nonce, the account URL). It never waits, and repeats a request only if the CA rejected its nonce. Every call can
 * throw AcmeError.
 */
export interface Acme {
  /** The names that identify this CA in CAA records. */
  caaIdentities(): Promise<readonly string[]>;
  /** The account is created if it does not exist. CAA records can name it (RFC 8657, 3). */
  accountUrl(): Promise<string>;
  newOrder(order: NewOrder): Promise<Order>;
  order(url: string): Promise<Order>;
  authorization(url: string): Promise<Authorization>;
  /** Tells the CA that it can validate the challenge. */
  answerChallenge(url: string): Promise<void>;
  /** @param csr DER */
  finalize(order: Order, csr: Buffer): Promise<Order>;
  /** The chain in PEM, the leaf certificate first. */
  certificate(url: string): Promise<string>;
  /** The CA's suggested renewal time; undefined if the CA does not support ARI (RFC 9773). */
  renewalAdvice(ariId: string): Promise<RenewalAdvice | undefined>;
}

export function createAcme(options: AcmeOptions): Acme {
  const { directory, accountUrl, get, post } = createAcmeRequests(options);
  const waitAskedBy = (answer: HttpsAnswer) => waitOf(answer, options.now());

  /** POST-as-GET of an order's resource. */
  const fetchOf = (url: string, accept?: string) =>
    post(url, undefined, { about: 'order-read', ...(accept !== undefined && { accept }) });

  const orderOf = (url: string, answer: HttpsAnswer): Order => {
    return { ...read(orderAnswer, answer), url, retryAfterMs: waitAskedBy(answer) };
  };

  return {
    caaIdentities: async () => (await directory()).meta.caaIdentities,
    accountUrl,
    async newOrder({ hostname, profile, replaces }) {
      const { newOrder, renewalInfo } = await directory();
      const wanted = {
        identifiers: [{ type: 'dns', value: hostname }],
        ...(profile !== undefined && { profile }),
        // Only a CA that supports ARI takes `replaces` (RFC 9773, 5).
        ...(replaces !== undefined && renewalInfo !== undefined && { replaces }),
      };
      const answer = await post(newOrder, wanted);
      return orderOf(locationOf(newOrder, answer), answer);
    },
    order: async (url) => orderOf(url, await fetchOf(url)),
    authorization: async (url) => read(authorizationAnswer, await fetchOf(url)),
    async answerChallenge(url) {
      await post(url, {}, { about: 'order-change' });
    },
    async finalize({ url, finalize }, csr) {
      const payload = { csr: csr.toString('base64url') };
      return orderOf(url, await post(finalize, payload, { about: 'order-change' }));
    },
    certificate: async (url) => (await fetchOf(url, 'application/pem-certificate-chain')).body,
    async renewalAdvice(ariId) {
      const { renewalInfo } = await directory();
      if (renewalInfo === undefined) return undefined;
      const answer = await get(`${renewalInfo}/${ariId}`);
      const { suggestedWindow, explanationURL } = read(renewalAnswer, answer);
      return { window: suggestedWindow, explanationUrl: explanationURL, retryAfterMs: waitAskedBy(answer) };
    },
  };
}
