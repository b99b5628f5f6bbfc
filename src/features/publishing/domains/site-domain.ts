import type { Project } from '../../projects/project.js';
import { siteHost } from '../../projects/site-address.js';
import { NO_CERTIFICATE, type NewDomain } from './domain.js';

/** The id of the record for a project's platform host. Each project has at most one. */
export function siteDomainId(projectId: string): string {
  return `dom_platform_${projectId}`;
}

/**
 * Creates that record, with its first certificate due. The host and its target are known, so no DNS check is needed.
 */
export function siteDomainOf({ id, slug }: Project, platformHost: string, now: Date): NewDomain {
  const name = siteHost(slug, platformHost);
  return {
    id: siteDomainId(id),
    projectId: id,
    isPlatform: true,
    name,
    unicode: name,
    registrable: platformHost,
    isApex: false,
    label: slug,
    createdAt: now,
    ownershipToken: '',
    ownershipRequired: false,
    holds: true,
    dns: { state: 'verified', verifiedAt: now, failures: 0 },
    certificate: { ...NO_CERTIFICATE, nextAt: now },
    nextRunAt: now,
  };
}
