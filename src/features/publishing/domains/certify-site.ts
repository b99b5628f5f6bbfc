import { certify, type Certified, type CertifyParts } from './certify.js';
import type { Domain } from './domain.js';
import type { CertificateBudget } from './domains-store.js';

/** Room also comes before a place ends: others come to nothing, or the operator allows more. */
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/**
 * As `certify`, for a host of the platform. All of these are names of one registered domain, for which an authority
 * gives so many new certificates a week; renewals are not among them.
 */
export async function certifySite(
  domain: Domain,
  budget: CertificateBudget,
  parts: CertifyParts,
): Promise<Certified> {
  const { id, name, certificate } = domain;
  if (certificate.current !== undefined) return certify(domain, parts);
  const { perWeek } = budget;
  const now = new Date(parts.clock());
  const freeAt = await budget.take(id, now);
  if (freeAt !== undefined)
    return {
      certificate: {
        ...certificate,
        nextAt: new Date(Math.min(freeAt.getTime(), now.getTime() + LOOK_AGAIN_MS)),
      },
      fault: { code: 'ca_rate_limited', name, perWeek },
    };
  const certified = await certify(domain, parts);
  const { issuance, current } = certified.certificate;
  // Once it is finalized the authority may have issued, whatever became of it then.
  const mayBeIssued = certificate.issuance?.state === 'finalizing';
  if (issuance === undefined && current === undefined && !mayBeIssued) await budget.refund(id, now);
  return certified;
}
