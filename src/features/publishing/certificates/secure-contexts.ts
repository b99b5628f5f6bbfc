import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { openPrivateKey } from './issuance.js';
import type { KeyRing, Sealed } from './key-ring.js';

/** A host's certificate: the chain in PEM, and its sealed private key. */
export interface HostCertificate {
  id: string;
  pem: string;
  privateKey: Sealed;
}

export interface SecureContextsParts {
  /** Returns the host's current certificate. */
  certificateOf: (host: string) => Promise<HostCertificate | undefined>;
  keyRing: KeyRing;
}

/** TLS contexts, created once per certificate. A private key stays in memory as long as its context. */
export interface SecureContexts {
  /**
   * Returns the context for a host that has this certificate; undefined if the host no longer has a certificate.
   * @throws SealError, and errors from `certificateOf`
   */
  get(host: string, certificateId: string): Promise<SecureContext | undefined>;
}

const MAX_CONTEXTS = 2000;

export function createSecureContexts({ certificateOf, keyRing }: SecureContextsParts): SecureContexts {
  /** The latest context of each host, so a renewed certificate replaces its predecessor. */
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
