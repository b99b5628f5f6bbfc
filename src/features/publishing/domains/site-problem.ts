import { problemOf, type Fault, type Problem } from './problem.js';

/** What keeps a host of the platform from having its certificate: nothing that its customers could mend. */
export function siteProblemOf(fault: Fault, at: Date, retryAt?: Date): Problem {
  const problem = problemOf(fault, at, retryAt);
  const message = `${wording(fault) ?? problem.message} Without a certificate the site is served over HTTP.`;
  return { ...problem, message };
}

const BY_ITSELF = 'The gateway tries again by itself; if this lasts, tell the operator of the platform.';

/** Undefined where the words for customers' domains say it as well. */
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
