import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { openPrivateKey } from './issuance.js';
import type { KeyRing, Sealed } from './key-ring.js';

/** What a host is shown by: the chain in PEM, and its key. */
export interface HostCertificate {
  id: string;
  pem: string;
  privateKey: Sealed;
}

export interface SecureContextsParts {
  /** The certificate that a host has now. */
  certificateOf: (host: string) => Promise<HostCertificate | undefined>;
  keyRing: KeyRing;
}

/** What connections are secured with, made once for each certificate; private keys are in memory while it is kept. */
export interface SecureContexts {
  /**
   * For a host whose certificate this is; undefined when it has none any more.
   * @throws SealError, and what `certificateOf` throws
   */
  get(host: string, certificateId: string): Promise<SecureContext | undefined>;
}

const MAX_CONTEXTS = 2000;

export function createSecureContexts({ certificateOf, keyRing }: SecureContextsParts): SecureContexts {
  /** The latest of each host, so that one which was renewed is not kept beside its successor. */
  const contexts = new LRUCache<string, { certificateId: string; context: SecureContext }>({
    max: MAX_CONTEXTS,
  });
  const loading = new Map<string, Promise<SecureContext | undefined>>();

  async function load(host: string): Promise<SecureContext | undefined> {
    const certificate = await certificateOf(host);
    if (certificate === undefined) {
      contexts.delete(host);
      return undefined;
    }
    const key = openPrivateKey(certificate, keyRing).export({ type: 'pkcs8', format: 'pem' });
    const context = createSecureContext({ key, cert: certificate.pem });
    contexts.set(host, { certificateId: certificate.id, context });
    return context;
  }

  return {
    async get(host, certificateId) {
      const kept = contexts.get(host);
      if (kept?.certificateId === certificateId) return kept.context;
      const flight = `${host} ${certificateId}`;
      let loaded = loading.get(flight);
      if (loaded === undefined) {
        loaded = load(host).finally(() => loading.delete(flight));
        loading.set(flight, loaded);
      }
      return loaded;
    },
  };
}
