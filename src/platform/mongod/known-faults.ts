import { DAY_MS } from '../../lib/clock.js';

/** The MongoDB version that the gateway downloads, and recommends in place of versions with known vulnerabilities. */
export const ADVISED_VERSION = '8.0.17';

interface Series {
  /** The first patch release without CVE-2025-14847. */
  fixedIn: number;
  /** The last day of MongoDB's support, for example `2025-07-31`; undefined if no day is announced. */
  endsOn?: string;
}

/**
 * Release series of self-managed MongoDB. Sources: https://www.mongodb.com/legal/support-policy/lifecycles, and
 * https://jira.mongodb.org/browse/SERVER-115508 for CVE-2025-14847: mongod answers a compressed message with a false
 * length with parts of its memory, without credentials.
 */
const SERIES: Readonly<Record<string, Series>> = {
  '4.4': { fixedIn: 30, endsOn: '2024-02-29' },
  '5.0': { fixedIn: 32, endsOn: '2024-10-31' },
  '6.0': { fixedIn: 27, endsOn: '2025-07-31' },
  '7.0': { fixedIn: 28, endsOn: '2027-08-31' },
  '8.0': { fixedIn: 17, endsOn: '2029-10-31' },
  '8.2': { fixedIn: 3 },
};

/**
 * The known problems of a MongoDB version and the version to use instead, or undefined if none are known.
 * @param version the version that `buildInfo` returns, for example `6.0.5`
 */
export function knownFaultOf(version: string, nowMs: number): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const series = SERIES[`${major}.${minor}`];
  if (series === undefined) {
    const isOlder = major < 8 || (major === 8 && minor < 2);
    return isOlder
      ? `MongoDB ${version} is past its end of life: use ${ADVISED_VERSION} or later`
      : undefined;
  }
  const endMs = series.endsOn === undefined ? Infinity : Date.parse(series.endsOn) + DAY_MS;
  const faults = [
    ...(nowMs >= endMs ? [`is past its end of life (${monthOf(endMs - DAY_MS)})`] : []),
    ...(patch < series.fixedIn ? ['has a known vulnerability (CVE-2025-14847)'] : []),
  ];
  if (faults.length === 0) return undefined;
  return `MongoDB ${version} ${faults.join(' and ')}: use ${ADVISED_VERSION} or later`;
}

function monthOf(atMs: number): string {
  return new Date(atMs).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}
