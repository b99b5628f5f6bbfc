import { problemOf, type Fault, type Problem } from './problem.js';

/** Describes why a platform host has no certificate. Customers cannot fix such a problem themselves. */
export function siteProblemOf(fault: Fault, at: Date, retryAt?: Date): Problem {
  const problem = problemOf(fault, at, retryAt);
  const message = `${wording(fault) ?? problem.message} Without a certificate the site is served over HTTP.`;
  return { ...problem, message };
}

const BY_ITSELF = 'The gateway tries again by itself; if this lasts, tell the operator of the platform.';

/** Returns undefined if the wording for customers' domains fits too. */
function wording(fault: Fault): string | undefined {
  switch (fault.code) {
    case 'caa_blocks':
      return `A CAA record of ${fault.recordName} (${fault.found}) blocks the certificate authority. ${BY_ITSELF}`;
    case 'ca_rejected':
      return `The certificate authority refused a certificate for ${fault.name}: ${fault.detail} ${BY_ITSELF}`;
    case 'dns_unavailable':
      return `DNS gave no answer about ${fault.name} (${fault.reason}). ${BY_ITSELF}`;
    default:
      return undefined;
  }
}
