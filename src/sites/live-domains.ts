import type { KeyChange } from '../api-keys/api-keys-store.js';
import { isValidAt } from '../domains/domain.js';
import type { DomainsStore } from '../domains/domains-store.js';
import type { SiteAddress, SiteAtHost } from '../http/exchange.js';
import type { Clock } from '../lib/clock.js';
import { createReadCache } from '../lib/read-cache.js';
import { domainsEndAt, type Project } from '../projects/project.js';
import type { ProjectsStore } from '../projects/projects-store.js';
import { slugUnder } from '../projects/site-address.js';

export interface LiveDomain extends SiteAtHost {
  /** Of the host's own certificate; a host of the platform has none. */
  certificateId: string | undefined;
}

/**
 * Who is served at which host: projects at the platform's hosts, and customers' domains as long as their project holds
 * them, its plan includes them and something is deployed. Out of memory only while changes elsewhere are heard of; else
 * the database is asked each time, and nothing is served where it does not answer.
 */
export interface LiveDomains {
  /** Undefined for a host at which nobody is served. In lower case, without a dot at its end. */
  at(host: string): Promise<LiveDomain | undefined>;
  /** Forgets what a change touches: the next request sees what is true after it. */
  evict(change: KeyChange | { domainId: string }): void;
  clear(): void;
}

export interface LiveDomainsParts {
  domains: Pick<DomainsStore, 'holderOf'>;
  projects: Pick<ProjectsStore, 'get' | 'getBySlug'>;
  platformHost: string;
  /** Whether the platform's own certificate is for this host. */
  isCovered: (host: string) => boolean;
  /** How long domains outlive a plan that includes them. */
  graceMs: number;
  /** Whether every change that was made elsewhere until a moment ago has been evicted. */
  isWatching: () => boolean;
  ttlMs: number;
  clock: Clock;
}

/** Somebody's host, served or not. */
interface Claimed {
  project: Project;
  /** Undefined for a host of the platform. */
  domain: { id: string; certificate: { id: string; notAfter: Date } | undefined } | undefined;
}

const MAX_HOSTS = 10_000;

export function createLiveDomains(parts: LiveDomainsParts): LiveDomains {
  const { domains, projects, platformHost, isCovered, graceMs, isWatching, ttlMs, clock } = parts;
  const claims = createReadCache<Claimed>({ read, maxSize: MAX_HOSTS, ttlMs });

  async function read(host: string): Promise<Claimed | undefined> {
    if (host === platformHost || host.endsWith(`.${platformHost}`)) {
      const slug = slugUnder(platformHost, host);
      const project = slug === undefined ? undefined : await projects.getBySlug(slug);
      return project && { project, domain: undefined };
    }
    const domain = await domains.holderOf(host);
    const project = domain && (await projects.get(domain.projectId));
    return project && { project, domain: { id: domain.id, certificate: domain.certificate.current } };
  }

  async function servedAt(host: string): Promise<Claimed | undefined> {
    const claimed = await (isWatching() ? claims.get(host) : read(host));
    if (claimed?.domain === undefined) return claimed;
    return includesDomains(claimed.project) && claimed.project.liveDeployId !== undefined
      ? claimed
      : undefined;
  }

  function includesDomains(project: Project): boolean {
    const endAt = domainsEndAt(project, graceMs);
    return endAt === undefined || clock() < endAt.getTime();
  }

  const hasCertificate = (host: string, { domain }: Claimed) =>
    domain === undefined ? isCovered(host) : isValidAt(domain.certificate, clock());

  /** Another host of the same project, where it is served. */
  async function addressOf(host: string | undefined, projectId: string): Promise<SiteAddress | undefined> {
    const served = host === undefined ? undefined : await servedAt(host);
    return host === undefined || served?.project.id !== projectId
      ? undefined
      : { host, hasCertificate: hasCertificate(host, served) };
  }

  return {
    async at(host) {
      const served = await servedAt(host);
      if (served === undefined) return undefined;
      const { id, redirects = [], primaryDomain } = served.project;
      const redirect = redirects.find(({ from }) => from === host);
      const [to, primary] = await Promise.all([
        addressOf(redirect?.to, id),
        addressOf(primaryDomain === host ? undefined : primaryDomain, id),
      ]);
      return {
        projectId: id,
        certificateId: served.domain?.certificate?.id,
        hasCertificate: hasCertificate(host, served),
        redirect: redirect && to && { to, status: redirect.status },
        canonical: primary,
      };
    },
    evict(change) {
      if ('keyId' in change) return;
      claims.forgetWhere(({ project, domain }) =>
        'domainId' in change ? domain?.id === change.domainId : project.id === change.projectId,
      );
    },
    clear: () => claims.clear(),
  };
}
