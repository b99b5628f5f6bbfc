import type { Clock } from '../../../lib/clock.js';
import type { Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { siteHost, siteOriginOf, type Addresses } from '../../projects/site-address.js';
import { isValidAt, type CertificateTrack } from './domain.js';
import type { DomainsStore } from './domains-store.js';
import type { Problem } from './problem.js';
import { siteDomainId, siteDomainOf } from './site-domain.js';

/** A project's platform host, as shown to callers. */
export interface Site {
  host: string;
  /** An origin: where visitors reach the site now. */
  url: string;
  isHttps: boolean;
  certificateState: CertificateTrack['state'];
  certificateExpiresAt: Date | undefined;
  /** Why the site is served over HTTP, or will be soon. */
  problem: Problem | undefined;
}

/** The projects' platform hosts, and their certificates if each host has its own. */
export interface PlatformHosts {
  /** Returns undefined where no address is known: without PUBLIC_URL. */
  siteOf(project: Project): Promise<Site | undefined>;
  /**
   * Makes sure the project gets a certificate, from its first successful deploy on. Call it in the deploy's
   * transaction.
   */
  certify(projectId: string): Promise<void>;
  /** Does the same for every project with a live deploy: they can be older than the certificates of platform hosts. */
  certifyAll(): Promise<void>;
}

export interface PlatformHostsParts {
  domains: Pick<DomainsStore, 'get' | 'insertMissing'>;
  projects: Pick<ProjectsStore, 'get' | 'live'>;
  addresses: Addresses & { platformHost: string };
  /** The operator's certificate for all platform hosts. */
  platformCertificate: { covers: (host: string) => boolean; expiresAt: () => Date } | undefined;
  /** Whether each platform host has its own certificate. */
  areCertified: boolean;
  clock: Clock;
}

const AT_ONCE = 500;

export function createPlatformHosts(parts: PlatformHostsParts): PlatformHosts {
  const { domains, projects, addresses, platformCertificate, areCertified, clock } = parts;
  const { platformHost } = addresses;

  async function insertMissing(live: readonly Project[]): Promise<void> {
    const now = new Date(clock());
    await domains.insertMissing(live.map((project) => siteDomainOf(project, platformHost, now)));
  }

  async function certificateOf(project: Project, host: string) {
    if (platformCertificate?.covers(host) === true)
      return {
        certificateState: 'active',
        certificateExpiresAt: platformCertificate.expiresAt(),
        problem: undefined,
      } as const;
    const stored = await domains.get(siteDomainId(project.id));
    // The record may come from an earlier PLATFORM_HOST.
    const own = stored?.name === host ? stored : undefined;
    return {
      certificateState: own?.certificate.state ?? 'none',
      certificateExpiresAt: own?.certificate.current?.notAfter,
      problem: areCertified ? own?.problem : undefined,
    };
  }

  return {
    async siteOf(project) {
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
