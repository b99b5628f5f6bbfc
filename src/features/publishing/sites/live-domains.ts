import type { RecordChange } from '../../keys/record-change.js';
import { isValidAt, type Domain } from '../domains/domain.js';
import type { DomainsStore } from '../domains/domains-store.js';
import { siteDomainId } from '../domains/site-domain.js';
import type { SiteAddress, SiteAtHost } from './site-at-host.js';
import { whenKnown, type Awaitable } from '../../../lib/awaitable.js';
import type { Clock } from '../../../lib/clock.js';
import type { CacheStatistics } from '../../../lib/cache-statistics.js';
import { createLoadingCache } from '../../../lib/read-cache.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { slugUnder } from '../../projects/site-address.js';
import type { HostLookUps } from './host-look-ups.js';

export interface LiveDomain extends SiteAtHost {
  /** The host's own certificate; undefined if the platform's certificate covers the host, or if there is none. */
  certificateId: string | undefined;
}

/**
 * Why no site is served at a host. `removed`: a project had the host once. `suspended`: the plan of its project does not
 * include domains any more. `unpublished`: its project has no live deploy.
 */
export type Absence = 'unknown' | 'removed' | 'suspended' | 'unpublished';

/** The result for a host where no site is served. */
export interface AbsentSite {
  absence: Absence;
  /**
   * The id of the certificate for the page that visitors see in place of a site: the valid certificate of a domain that
   * a project holds, even while it is suspended.
   */
  certificateId: string | undefined;
}

/**
 * Resolves a host to the project served there. Platform hosts belong to projects. A customer's domain is served while
 * its project holds the domain, has a plan that includes domains (or is in the grace period), and has a live deploy.
 *
 * Answers come from memory only while the change feed is up. Otherwise each request reads the database, and the host is
 * not served if the database does not answer.
 */
export interface LiveDomains {
  /**
   * @param host lower case, without a trailing dot
   * @param client pays for a look-up that finds nothing, see `HostLookUps`; undefined if it is not known
   * @throws errors of `HostLookUps`, but none for a host in memory; not as a rejected promise if they are known at once
   */
  at(host: string, client: string | undefined): Awaitable<LiveDomain | AbsentSite>;
  /**
   * Drops entries that the change affects: the next request reads the new state. Takes the same time however many hosts
   * are cached.
   */
  evict(change: RecordChange | { domainId: string }): void;
  clear(): void;
}

export interface LiveDomainsParts {
  domains: Pick<DomainsStore, 'holderOf' | 'wasHeld'>;
  projects: Pick<ProjectsStore, 'get' | 'getBySlug' | 'hadSlug'>;
  platformHost: string;
  /** Whether the platform's own certificate covers this host and is valid. */
  isCovered: (host: string) => boolean;
  /** How long domains keep working after the project's plan stops including them, in milliseconds. */
  graceMs: number;
  /** Whether the change feed is up: every change made elsewhere, until a moment ago, has been evicted. */
  isWatching: () => boolean;
  lookUp: HostLookUps;
  ttlMs: number;
  cacheStatistics?: CacheStatistics | undefined;
  clock: Clock;
}

/** A host that belongs to a project, whether it is served or not. */
interface HeldHost {
  project: Project;
  domainId: string;
  isPlatform: boolean;
  /** The host's own certificate. */
  certificate: { id: string; notAfter: Date } | undefined;
}

/** The holder is undefined if a project had the host once, and none has it now. */
interface HostEntry {
  holder: HeldHost | undefined;
}

const MAX_HOSTS = 10_000;

export function createLiveDomains(parts: LiveDomainsParts): LiveDomains {
  const { domains, projects, platformHost, isCovered, graceMs, isWatching, lookUp, clock } = parts;
  const { ttlMs, cacheStatistics } = parts;
  const hosts = createLoadingCache<HostEntry>({
    maxSize: MAX_HOSTS,
    ttlMs,
    // Any change may give a holder to a host without one.
    sourcesOf: ({ holder }) => (holder === undefined ? [] : [holder.domainId, holder.project.id]),
    cacheStatistics,
  });

  async function read(host: string): Promise<HostEntry | undefined> {
    const holder = await holderOf(host);
    return holder !== undefined || (await hadHolder(host)) ? { holder } : undefined;
  }

  async function holderOf(host: string): Promise<HeldHost | undefined> {
    if (host === platformHost || host.endsWith(`.${platformHost}`)) {
      const slug = slugUnder(platformHost, host);
      const project = slug === undefined ? undefined : await projects.getBySlug(slug);
      return project && { project, ...(await siteDomainAt(host, project)) };
    }
    const domain = await domains.holderOf(host);
    // A platform host outside PLATFORM_HOST comes from an earlier value of that setting.
    if (domain?.isPlatform === true) return undefined;
    const project = domain && (await projects.get(domain.projectId));
    return project && { project, domainId: domain.id, isPlatform: false, certificate: ownOf(domain) };
  }

  async function siteDomainAt(host: string, { id }: Project): Promise<Omit<HeldHost, 'project'>> {
    const domain = isCovered(host) ? undefined : await domains.holderOf(host);
    return { domainId: siteDomainId(id), isPlatform: true, certificate: domain && ownOf(domain) };
  }

  async function hadHolder(host: string): Promise<boolean> {
    const slug = slugUnder(platformHost, host);
    return slug === undefined ? domains.wasHeld(host) : projects.hadSlug(slug);
  }

  function entryAt(host: string, client: string | undefined): Awaitable<HostEntry | undefined> {
    // A host in memory is a real one, though its entry may be too old to use.
    const look = () => lookUp(() => read(host), hosts.lastKnown(host) === undefined ? client : undefined);
    return isWatching() ? hosts.get(host, look) : look();
  }

  const isServed = ({ isPlatform, project }: HeldHost) =>
    isPlatform || (includesDomains(project) && project.liveDeployId !== undefined);

  function includesDomains(project: Project): boolean {
    const endAt = domainsEndAt(project, graceMs);
    return endAt === undefined || clock() < endAt.getTime();
  }

  const hasCertificate = (host: string, { isPlatform, certificate }: HeldHost) =>
    isValidAt(certificate, clock()) || (isPlatform && isCovered(host));

  /** Returns another host of the same project, if it is served. */
  function addressOf(host: string | undefined, projectId: string): Awaitable<SiteAddress | undefined> {
    if (host === undefined) return undefined;
    return whenKnown(entryAt(host, undefined), (entry) => {
      const other = entry?.holder;
      return other?.project.id === projectId && isServed(other)
        ? { host, hasCertificate: hasCertificate(host, other) }
        : undefined;
    });
  }

  function siteAt(host: string, held: HeldHost): Awaitable<LiveDomain> {
    const { id, redirects = [], primaryDomain } = held.project;
    const redirectFrom = (name: string | undefined) => redirects.find(({ from }) => from === name);
    const redirect = redirectFrom(host);
    // Search engines ignore a canonical address that redirects.
    const main = redirectFrom(primaryDomain)?.to ?? primaryDomain;
    return whenKnown(addressOf(redirect?.to, id), (to) =>
      whenKnown(addressOf(main === host ? undefined : main, id), (canonical) => ({
        projectId: id,
        certificateId: held.certificate?.id,
        hasCertificate: hasCertificate(host, held),
        redirect: redirect && to && { to, status: redirect.status },
        canonical,
      })),
    );
  }

  function absent(entry: HostEntry | undefined): AbsentSite {
    if (entry?.holder === undefined)
      return { absence: entry === undefined ? 'unknown' : 'removed', certificateId: undefined };
    const { certificate, project } = entry.holder;
    return {
      absence: project.liveDeployId === undefined ? 'unpublished' : 'suspended',
      certificateId: isValidAt(certificate, clock()) ? certificate.id : undefined,
    };
  }

  return {
    at: (host, client) =>
      whenKnown(entryAt(host, client), (entry): Awaitable<LiveDomain | AbsentSite> => {
        const holder = entry?.holder;
        return holder !== undefined && isServed(holder) ? siteAt(host, holder) : absent(entry);
      }),
    evict(change) {
      if ('keyId' in change) return;
      hosts.changed('domainId' in change ? change.domainId : change.projectId);
    },
    clear: () => hosts.clear(),
  };
}

/** The part of the certificate to cache, without its key. */
function ownOf({ certificate: { current } }: Domain): HeldHost['certificate'] {
  return current && { id: current.id, notAfter: current.notAfter };
}
