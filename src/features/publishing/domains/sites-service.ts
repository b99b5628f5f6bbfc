import type { Clock } from '../../../lib/clock.js';
import type { Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { siteHost, siteOriginOf, type Addresses } from '../../projects/site-address.js';
import { isValidAt, type CertificateTrack } from './domain.js';
import type { DomainsStore } from './domains-store.js';
import type { Problem } from './problem.js';
import { siteDomainId, siteDomainOf } from './site-domain.js';

/** A project's own host on the platform, as people see it. */
export interface Site {
  host: string;
  /** An origin: where visitors find it now. */
  url: string;
  isHttps: boolean;
  certificateState: CertificateTrack['state'];
  certificateExpiresAt: Date | undefined;
  /** Why it is served over HTTP, or will be soon. */
  problem: Problem | undefined;
}

/** The projects' hosts on the platform, and their certificates where each of them has one of its own. */
export interface SitesService {
  /** Undefined for a project that has no slug yet. */
  siteOf(project: Project): Promise<Site | undefined>;
  /** From its first successful deploy on it is to have a certificate. In the transaction of the deploy. */
  certify(projectId: string): Promise<void>;
  /** The same for every project that has a deploy: they may be from before there were certificates for them. */
  certifyAll(): Promise<void>;
}

export interface SitesServiceParts {
  domains: Pick<DomainsStore, 'get' | 'insertMissing'>;
  projects: Pick<ProjectsStore, 'get' | 'live'>;
  addresses: Addresses & { platformHost: string };
  /** The operator's certificate for all of them. */
  platformCertificate: { covers: (host: string) => boolean; expiresAt: () => Date } | undefined;
  /** Whether each of them has one of its own. */
  areCertified: boolean;
  clock: Clock;
}

const AT_ONCE = 500;

export function createSitesService(parts: SitesServiceParts): SitesService {
  const { domains, projects, addresses, platformCertificate, areCertified, clock } = parts;
  const { platformHost } = addresses;

  async function insertMissing(live: readonly Project[]): Promise<void> {
    const now = new Date(clock());
    const missing = live.flatMap(({ slug, ...project }) =>
      slug === undefined ? [] : [siteDomainOf({ ...project, slug }, platformHost, now)],
    );
    await domains.insertMissing(missing);
  }

  async function certificateOf(project: Project, host: string) {
    if (platformCertificate?.covers(host) === true)
      return {
        certificateState: 'active',
        certificateExpiresAt: platformCertificate.expiresAt(),
        problem: undefined,
      } as const;
    const stored = await domains.get(siteDomainId(project.id));
    // It may be of another PLATFORM_HOST.
    const own = stored?.name === host ? stored : undefined;
    return {
      certificateState: own?.certificate.state ?? 'none',
      certificateExpiresAt: own?.certificate.current?.notAfter,
      problem: areCertified ? own?.problem : undefined,
    };
  }

  return {
    async siteOf(project) {
      if (project.slug === undefined) return undefined;
      const host = siteHost(project.slug, platformHost);
      const certificate = await certificateOf(project, host);
      const notAfter = certificate.certificateExpiresAt;
      const hasCertificate = notAfter !== undefined && isValidAt({ notAfter }, clock());
      const url = siteOriginOf(project, addresses, hasCertificate);
      return url === undefined ? undefined : { host, url, isHttps: url.startsWith('https:'), ...certificate };
    },
    async certify(projectId) {
      const project = areCertified ? await projects.get(projectId) : undefined;
      if (project !== undefined) await insertMissing([project]);
    },
    async certifyAll() {
      if (!areCertified) return;
      const batch: Project[] = [];
      for await (const project of projects.live()) {
        batch.push(project);
        if (batch.length === AT_ONCE) await insertMissing(batch.splice(0));
      }
      await insertMissing(batch);
    },
  };
}
