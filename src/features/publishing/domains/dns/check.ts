import { TimeoutError, withTimeout } from '../../../../lib/with-timeout.js';
import type { Fault } from '../problem.js';
import { DnsUnavailable } from './dns.js';

/** What a check of DNS found. A look-up that failed is a fault of its own, never a wrong record. */
export type Check<F extends Fault = Fault> =
  { passed: true } | { passed: false; fault: F | (Fault & { code: 'dns_unavailable' }) };

export const PASSED = { passed: true } as const;

export function failed<F extends Fault>(fault: F): { passed: false; fault: F } {
  return { passed: false, fault };
}

/** Runs a check, and tells of a DnsUnavailable in it as the fault dns_unavailable. */
export async function checked<F extends Fault>(check: () => Promise<Check<F>>): Promise<Check<F>> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    return failed({ code: 'dns_unavailable', name: error.lookedUp, reason: error.reason });
  }
}

/** A check can be a dozen look-ups, and the name servers that are asked are the customer's: as slow as they like. */
const CHECK_TIMEOUT_MS = 20_000;

/** The outcome of a check, or that DNS did not answer about `name` in time. */
export async function inTime<F extends Fault>(check: Promise<Check<F>>, name: string): Promise<Check<F>> {
  try {
    return await withTimeout(check, CHECK_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    return failed({ code: 'dns_unavailable', name, reason: 'TIMEOUT' });
  }
}
