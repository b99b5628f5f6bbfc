import type { Fault } from '../problem.js';
import { caaPermits } from './caa-permits.js';
import { type Check, PASSED, checked, failed } from './check.js';
import { type CaaRecord, type Dns, DnsUnavailable } from './dns.js';
import { followCnames } from './follow-cnames.js';
import { shown } from './shown.js';

export type CaaFault = Fault & { code: 'caa_blocks' };

/**
 * Checks whether CAA records permit the certificate authority to issue for `name` (RFC 8659 section 3). The records of
 * the nearest name that has any decide, from `name` up to its top-level domain. A CNAME record is followed at each
 * name, but the parents of its target have no effect.
 *
 * @param caaIdentities the identities in the authority's ACME directory (RFC 8555 section 7.1.1)
 */
export function checkCaa(name: string, caaIdentities: readonly string[], dns: Dns): Promise<Check<CaaFault>> {
  return checked(async () => {
    for (let at = name; at !== ''; at = parentOf(at)) {
      const { end } = await followCnames(at, dns);
      // An authority's resolver answers SERVFAIL for this.
      if (end === undefined) throw new DnsUnavailable(at, 'its CNAME records lead in a circle');
      const { records } = await dns.caa(end);
      if (records.length === 0) continue;
      if (caaPermits(records, caaIdentities)) return PASSED;
      return failed({
        code: 'caa_blocks',
        name,
        recordName: end,
        ...(caaIdentities.length > 0 && {
          expected: caaIdentities.map((identity) => `0 issue "${identity}"`).join(' or '),
        }),
        found: shown(records.map(asText)),
      });
    }
    return PASSED;
  });
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

function asText({ flags, tag, value }: CaaRecord): string {
  return `${flags} ${tag} "${value}"`;
}
