import { TimeoutError, withTimeout } from '../../../../lib/with-timeout.js';
import type { Fault } from '../problem.js';
import { DnsUnavailable } from './dns.js';

/** The result of a DNS check. A failed lookup is a separate fault, never a wrong record. */
export type Check<F extends Fault = Fault, P extends Passed = Passed> =
  P | { passed: false; fault: F | (Fault & { code: 'dns_unavailable' }) };

export interface Passed {
  passed: true;
}

export const PASSED = { passed: true } as const;

export function failed<F extends Fault>(fault: F): { passed: false; fault: F } {
  return { passed: false, fault };
}

/** Runs a check, and turns a DnsUnavailable error into the fault dns_unavailable. */
export async function checked<F extends Fault, P extends Passed = Passed>(
  check: () => Promise<Check<F, P>>,
): Promise<Check<F, P>> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof DnsUnavailable)) throw error;
    const { lookedUp: name, reason, recordType } = error;
    return failed({ code: 'dns_unavailable', name, reason, ...(recordType && { recordType }) });
  }
}

/** A check can take a dozen lookups, and the customer's name servers answer them, as slowly as they like. */
const CHECK_TIMEOUT_MS = 20_000;

/** Returns the check's result, or the fault dns_unavailable for `name` if the check times out. */
export async function checkInTime<F extends Fault, P extends Passed = Passed>(
  check: Promise<Check<F, P>>,
  name: string,
): Promise<Check<F, P>> {
  try {
    return await withTimeout(check, CHECK_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    return failed({ code: 'dns_unavailable', name, reason: 'TIMEOUT' });
  }
}

const MAX_VALUES = 5;
const MAX_LENGTH = 255;

/**
 * Formats a DNS answer for display. Anyone can publish such records, so values are cut and invisible characters
 * replaced.
 */
export function shown(values: readonly string[]): string {
  const texts = values.slice(0, MAX_VALUES).map((value) => {
    const visible = value.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
    return visible.length > MAX_LENGTH ? `${visible.slice(0, MAX_LENGTH)}…` : visible;
  });
  if (values.length > MAX_VALUES) texts.push('…');
  return texts.join(', ');
}
