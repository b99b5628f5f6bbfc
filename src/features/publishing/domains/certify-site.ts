import { certify, isForTests, type Certified, type CertifyParts } from './certify.js';
import type { Domain } from './domain.js';
import type { CertificateBudget } from './domains-store.js';

/** Rechecks before a place expires, because a place can also be refunded, or the operator can raise the limit. */
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/**
 * Like `certify`, for a platform host. All platform hosts belong to one registered domain, for which an authority
 * limits new certificates per week. Renewals do not count, except in place of a staging certificate.
 */
export async function certifySite(
  domain: Domain,
  budget: CertificateBudget,
  parts: CertifyParts,
): Promise<Certified> {
  const { id, name, certificate } = domain;
  const { current: earlier } = certificate;
  if (earlier !== undefined && !isForTests(earlier, parts)) return certify(domain, parts);
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
  // After finalization the authority may have issued a certificate, whatever the result, so the place stays taken.
  const mayBeIssued = certificate.issuance?.state === 'finalizing';
  if (issuance === undefined && current?.id === earlier?.id && !mayBeIssued) await budget.refund(id, now);
  return certified;
}
