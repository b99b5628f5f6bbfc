import type { KeyChange } from '../../keys/api-keys-store.js';
import { isValidAt, type Domain } from '../domains/domain.js';
import type { DomainsStore } from '../domains/domains-store.js';
import { siteDomainId } from '../domains/site-domain.js';
import type { SiteAddress, SiteAtHost } from './site-at-host.js';
import type { Clock } from '../../../lib/clock.js';
import type { CacheStatistics } from '../../../lib/cache-statistics.js';
import { createReadCache } from '../../../lib/read-cache.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { slugUnder } from '../../projects/site-address.js';

export interface LiveDomain extends SiteAtHost {
  /** Of the host's own certificate; undefined where the platform's is for it, or there is none. */
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
  /** Whether the platform's own certificate is for this host, and valid. */
  isCovered: (host: string) => boolean;
  /** How long domains outlive a plan that includes them. */
  graceMs: number;
  /** Whether every change that was made elsewhere until a moment ago has been evicted. */
  isWatching: () => boolean;
  ttlMs: number;
  cacheStatistics?: CacheStatistics | undefined;
  clock: Clock;
}

/** Somebody's host, served or not. */
interface Claimed {
  project: Project;
  domainId: string;
  isPlatform: boolean;
  /** Its own. */
  certificate: { id: string; notAfter: Date } | undefined;
}

const MAX_HOSTS = 10_000;

export function createLiveDomains(parts: LiveDomainsParts): LiveDomains {
  const { domains, projects, platformHost, isCovered, graceMs, isWatching, ttlMs, cacheStatistics, clock } =
    parts;
  const claims = createReadCache<Claimed>({ read, maxSize: MAX_HOSTS, ttlMs, cacheStatistics });

  async function read(host: string): Promise<Claimed | undefined> {
    if (host === platformHost || host.endsWith(`.${platformHost}`)) {
      const slug = slugUnder(platformHost, host);
      const project = slug === undefined ? undefined : await projects.getBySlug(slug);
      return project && { project, ...(await siteDomainAt(host, project)) };
    }
    const domain = await domains.holderOf(host);
    // A platform's host elsewhere is of a PLATFORM_HOST that was set before.
    if (domain?.isPlatform === true) return undefined;
    const project = domain && (await projects.get(domain.projectId));
    return project && { project, domainId: domain.id, isPlatform: false, certificate: ownOf(domain) };
  }

  async function siteDomainAt(host: string, { id }: Project): Promise<Omit<Claimed, 'project'>> {
    const domain = isCovered(host) ? undefined : await domains.holderOf(host);
    return { domainId: siteDomainId(id), isPlatform: true, certificate: domain && ownOf(domain) };
  }

  async function servedAt(host: string): Promise<Claimed | undefined> {
    const claimed = await (isWatching() ? claims.get(host) : read(host));
    if (claimed === undefined || claimed.isPlatform) return claimed;
    return includesDomains(claimed.project) && claimed.project.liveDeployId !== undefined
      ? claimed
      : undefined;
  }

  function includesDomains(project: Project): boolean {
    const endAt = domainsEndAt(project, graceMs);
    return endAt === undefined || clock() < endAt.getTime();
  }

  const hasCertificate = (host: string, { isPlatform, certificate }: Claimed) =>
    isValidAt(certificate, clock()) || (isPlatform && isCovered(host));

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
        certificateId: served.certificate?.id,
        hasCertificate: hasCertificate(host, served),
        redirect: redirect && to && { to, status: redirect.status },
        canonical: primary,
      };
    },
    evict(change) {
      if ('keyId' in change) return;
      claims.forgetWhere(({ project, domainId }) =>
        'domainId' in change ? domainId === change.domainId : project.id === change.projectId,
      );
    },
    clear: () => claims.clear(),
  };
}

/** What is remembered of it: no key. */
function ownOf({ certificate: { current } }: Domain): Claimed['certificate'] {
  return current && { id: current.id, notAfter: current.notAfter };
}
