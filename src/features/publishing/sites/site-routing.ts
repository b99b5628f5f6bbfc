import type { SecureContext } from 'node:tls';
import type { PlatformCertificate } from '../certificates/platform-certificate.js';
import { createSecureContexts } from '../certificates/secure-contexts.js';
import type { KeyRing } from '../certificates/key-ring.js';
import { inTime } from '../../../lib/in-time.js';
import { isHostName } from '../../../lib/host-name.js';
import type { Logger } from '../../../lib/logger.js';
import { createHostLookUps, type HostLookUpsParts } from './host-look-ups.js';
import { createLiveDomains, type LiveDomains, type LiveDomainsParts } from './live-domains.js';
import { ApiError } from '../../../lib/errors.js';

/** Finds the site and the certificate for the host that a visitor requests. */
export interface SiteRouting {
  live: LiveDomains;
  /** Whether the operator's own certificate is valid and covers this host. */
  isCovered: (host: string) => boolean;
  /** @param client pays for a look-up that finds nothing; undefined if the connection comes from a proxy */
  contextOf: (serverName: string, client: string | undefined) => Promise<SecureContext | undefined>;
}

export function createSiteRouting({
  domains,
  operatorHost,
  keyRing,
  platformCertificate,
  anonymous,
  log,
  clock,
  ...parts
}: Omit<LiveDomainsParts, 'isCovered' | 'lookUp'> &
  HostLookUpsParts & {
    operatorHost: string | undefined;
    keyRing: KeyRing | undefined;
    /** The operator's certificate. */
    platformCertificate: PlatformCertificate | undefined;
    log: Logger;
  }): SiteRouting {
  const isCovered = (host: string) => platformCertificate?.covers(host) ?? false;
  const lookUp = createHostLookUps({ anonymous, clock });
  const live = createLiveDomains({ ...parts, domains, isCovered, lookUp, clock });
  const contexts =
    keyRing &&
    createSecureContexts({
      keyRing,
      certificateOf: async (host) => (await domains.holderOf(host))?.certificate.current,
    });

  // Used even after it has expired: the browser's error about an expired certificate is clearer than one about none.
  const platformContext = (host: string) =>
    platformCertificate?.isFor(host) === true ? platformCertificate.context() : undefined;

  async function contextOf(serverName: string, client: string | undefined) {
    const host = serverName.toLowerCase();
    if (!isHostName(host)) return undefined;
    if (host === operatorHost) return platformContext(host);
    const site = await live.at(host, client);
    if (site.certificateId !== undefined) return contexts?.get(host, site.certificateId);
    return 'absence' in site ? undefined : platformContext(host);
  }

  return {
    live,
    isCovered,
    contextOf: (serverName, client) =>
      inTime(contextOf(serverName, client)).catch((err: unknown) => {
        if (err instanceof ApiError && err.code === 'rate_limit_exceeded') return undefined;
        log.error({ err, serverName }, 'Rejected a connection: the certificate of its host cannot be used');
        return undefined;
      }),
  };
}
