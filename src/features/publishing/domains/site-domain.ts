import type { Project } from '../../projects/project.js';
import { siteHost } from '../../projects/site-address.js';
import { NO_CERTIFICATE, type Domain } from './domain.js';

/** The id of the record of a project's host on the platform. There is one at most. */
export function siteDomainId(projectId: string): string {
  return `dom_platform_${projectId}`;
}

/** That record, whose first certificate is due. Whose the host is and where it leads needs no look at DNS. */
export function siteDomainOf(
  { id, slug }: Project & { slug: string },
  platformHost: string,
  now: Date,
): Domain {
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
