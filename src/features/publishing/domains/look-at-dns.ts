import type { Clock } from '../../../lib/clock.js';
import { PLANS } from '../../plans/plans.js';
import type { Project } from '../../projects/project.js';
import { inTime, PASSED } from './dns/check.js';
import { checkOwnership } from './dns/check-ownership.js';
import { checkRouting, wantedLead, type LeadsBy } from './dns/check-routing.js';
import type { Dns } from './dns/dns.js';
import type { DnsTrack, Domain } from './domain.js';
import { siteHost } from '../../projects/site-address.js';
import { pendingSince } from './domains-service.js';
import type { DomainsStore } from './domains-store.js';
import type { Fault } from './problem.js';

export interface LookParts {
  domains: Pick<DomainsStore, 'isClaimedElsewhere'>;
  dns: Dns;
  platformHost: string;
  /** The platform's fixed addresses, if any. */
  platformAddresses: readonly string[];
  clock: Clock;
}

export interface Look {
  /** Undefined if the domain is verified. */
  fault: Fault | undefined;
  ownershipRequired: boolean;
  /** How the name leads to the project; if the check failed, how it must. */
  leadsBy: LeadsBy;
}

/**
 * Checks if the domain can be served for its project. An address proves no ownership, but a CNAME record to the
 * project's own host does. So a name that leads here by its addresses requires a TXT record if another project holds,
 * held or has pending a name of the same registrable domain. Any other name requires one if another project holds or
 * held that name.
 */
export async function lookAtDns(domain: Domain, project: Project, parts: LookParts): Promise<Look> {
  const { domains, dns, platformHost, platformAddresses, clock } = parts;
  const { name, ownershipToken, ownershipRequired: wasRequired } = domain;
  const wanted = wantedLead(domain);
  const failedBy = (fault: Fault, ownershipRequired: boolean) => ({
    fault,
    ownershipRequired,
    leadsBy: wanted,
  });
  if (!PLANS[project.plan].includesDomains) return failedBy({ code: 'plan_required', name }, wasRequired);
  if (project.liveDeployId === undefined) return failedBy({ code: 'not_deployed', name }, wasRequired);

  const since = pendingSince(clock());
  const needsProof = async (leadsBy: LeadsBy) =>
    !domain.holds && (await domains.isClaimedElsewhere(domain, leadsBy, since));
  const prove = () => inTime(checkOwnership(domain, ownershipToken, dns), name);

  const isProofWanted = await needsProof(wanted);
  const proved = isProofWanted ? await prove() : PASSED;
  if (!proved.passed) return failedBy(proved.fault, true);
  const target = { platformHost: siteHost(project.slug, platformHost), platformAddresses };
  const routing = await inTime(checkRouting(domain, target, dns), name);
  if (!routing.passed) return failedBy(routing.fault, isProofWanted);
  const { leadsBy } = routing;
  if (isProofWanted || leadsBy === wanted || !(await needsProof(leadsBy)))
    return { fault: undefined, ownershipRequired: isProofWanted, leadsBy };
  const alsoProved = await prove();
  return { fault: alsoProved.passed ? undefined : alsoProved.fault, ownershipRequired: true, leadsBy };
}

const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 60 * MINUTE_MS;
/** Specification 1.1 item 3: how long DNS changes can take. After that, checks stop until Verify is chosen. */
const RETRIED_FOR_MS = 48 * 60 * MINUTE_MS;

/**
 * Returns when to check again after this many consecutive failures; undefined once 48 hours have passed since Verify
 * was chosen.
 */
export function dnsRetryAt({ requestedAt, failures }: DnsTrack, nowMs: number): Date | undefined {
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
  const endMs = (requestedAt?.getTime() ?? 0) + RETRIED_FOR_MS;
  return nowMs + waitMs > endMs ? undefined : new Date(nowMs + waitMs);
}
