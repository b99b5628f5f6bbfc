import type { DomainName } from '../domain-name.js';
import type { Fault, RoutingRecord } from '../problem.js';
import { checked, failed, shown, type Check } from './check.js';
import { DnsUnavailable, followCnames, unlessUnavailable, type Answer, type Dns } from './dns.js';
import { isPrivateName } from '../private-names.js';
import { isPrivateAddress, PRIVATE_ADDRESS } from './private-addresses.js';

export type RoutingFault = Fault & {
  code:
    | 'no_record'
    | 'nxdomain'
    | 'cname_mismatch'
    | 'conflicting_a_record'
    | 'conflicting_aaaa_record'
    | 'apex_address_mismatch'
    | 'cname_loop';
};

/** Where a name must lead. */
export interface RoutingTarget {
  /** The project's own host. */
  platformHost: string;
  /** The platform's fixed addresses, if the operator has set them. */
  platformAddresses?: readonly string[];
}

/**
 * How a name leads to its project. `name`: through CNAME records to the project's own host, which no other project has.
 * `addresses`: it has the platform's addresses, which all projects have.
 */
export type LeadsBy = 'name' | 'addresses';

export interface Routed {
  passed: true;
  leadsBy: LeadsBy;
}

/** How a name leads to its project if the customer adds the records that the gateway shows. */
export function wantedLead({ isApex }: Pick<DomainName, 'isApex'>): LeadsBy {
  return isApex ? 'addresses' : 'name';
}

const BY_NAME: Routed = { passed: true, leadsBy: 'name' };
const BY_ADDRESSES: Routed = { passed: true, leadsBy: 'addresses' };

/**
 * Checks whether a name leads to its project. A subdomain must reach `platformHost` through CNAME records, an apex must
 * have the platform's addresses. So can a subdomain without a CNAME record: DNS allows none at a zone of its own, and
 * some providers publish the addresses that a CNAME record leads to.
 *
 * The platform's addresses are all A records of `platformHost` and any of its AAAA records, or at least one of the
 * fixed addresses, and no other. A failed lookup of one of the two types does not matter if the other type has
 * addresses: certificate authorities need one of them.
 */
export function checkRouting(
  { name, isApex }: Pick<DomainName, 'name' | 'isApex'>,
  target: RoutingTarget,
  dns: Dns,
): Promise<Check<RoutingFault, Routed>> {
  return checked<RoutingFault, Routed>(() => (isApex ? checkApex : checkSubdomain)(name, target, dns));
}

async function checkSubdomain(
  name: string,
  target: RoutingTarget,
  dns: Dns,
): Promise<Check<RoutingFault, Routed>> {
  const { platformHost: expected } = target;
  const { targets, end, unanswered } = await followCnames(name, dns, expected);
  if (end === expected) return BY_NAME;
  if (end === undefined)
    return failed({ code: 'cname_loop', name, expected, found: shownNames(targets, expected) });
  if (targets.length > 0 && unanswered === undefined)
    return failed({
      code: 'cname_mismatch',
      name,
      expected,
      found: shownNames(targets.slice(0, 1), expected),
    });

  const found = await addressesAt(end, dns);
  const all = [...found.v4, ...found.v6];
  const comparison = all.length > 0 ? await compare(found, target, dns) : undefined;
  if (comparison?.isRight === true) return BY_ADDRESSES;
  // The name can have a CNAME record, which leads anywhere.
  if (unanswered !== undefined) throw unanswered;
  if (comparison?.strange6 !== undefined && found.v4.length > 0)
    return failed(strangeRecord(name, 'ALIAS', expected, comparison.strange6));
  if (found.v4.length > 0)
    return failed({ code: 'conflicting_a_record', name, expected, found: shownAddresses(all) });
  if (found.v6.length > 0) return failed(strangeRecord(name, 'CNAME', expected, found.v6));
  return failed(absent(found.nameExists, name, 'CNAME', expected));
}

async function checkApex(
  name: string,
  target: RoutingTarget,
  dns: Dns,
): Promise<Check<RoutingFault, Routed>> {
  const { platformHost, platformAddresses: fixed = [] } = target;
  const { targets, end } = await followCnames(name, dns);
  if (end === undefined)
    return failed({
      code: 'cname_loop',
      name,
      expected: platformHost,
      found: shownNames(targets, platformHost),
    });

  const found = await addressesAt(end, dns);
  const all = [...found.v4, ...found.v6];
  const addresses = fixed.length > 0 ? { addresses: shown(fixed) } : {};
  if (all.length === 0 && targets.length === 0)
    return failed({ ...absent(found.nameExists, name, 'ALIAS', platformHost), ...addresses });

  const { isRight, platform, strange6, missing } = await compare(found, target, dns);
  if (isRight) return BY_ADDRESSES;
  // This is not a fault of the customer's records.
  if (platform.length === 0) throw new DnsUnavailable(platformHost, 'the platform has no address');
  const expected = addresses.addresses ?? shownAddresses(platform);
  if (strange6 !== undefined) return failed(strangeRecord(name, 'ALIAS', expected, strange6));
  return failed({
    code: 'apex_address_mismatch',
    name,
    platformHost,
    expected,
    found: all.length > 0 ? shownAddresses(all) : shownNames(targets, platformHost),
    ...(all.length > 0 && missing.length > 0 && { missing: shownAddresses(missing) }),
    ...addresses,
  });
}

interface Addresses {
  nameExists: boolean;
  /** Empty also if DNS did not answer. */
  v4: readonly string[];
  v6: readonly string[];
  /** Set if DNS answered for one of the two types only. */
  unanswered?: { type: 'v4' | 'v6'; error: DnsUnavailable };
}

/**
 * Looks up the addresses of a name without a known CNAME record.
 * @throws DnsUnavailable unless there is an address, or certainly none
 */
async function addressesAt(name: string, dns: Dns): Promise<Addresses> {
  const [v4, v6] = await Promise.all([
    unlessUnavailable(dns.addresses4(name)),
    unlessUnavailable(dns.addresses6(name)),
  ]);
  if (v4 instanceof DnsUnavailable) {
    const { nameExists, records } = onlyAnswer(v6, v4);
    return { nameExists, v4: [], v6: records, unanswered: { type: 'v4', error: v4 } };
  }
  if (v6 instanceof DnsUnavailable) {
    const { nameExists, records } = onlyAnswer(v4, v6);
    return { nameExists, v4: records, v6: [], unanswered: { type: 'v6', error: v6 } };
  }
  return { nameExists: v4.nameExists, v4: v4.records, v6: v6.records };
}

/** Returns the answer if it is enough without the failed one: a name that does not exist has no records of any type. */
function onlyAnswer(answer: Answer<string> | DnsUnavailable, failure: DnsUnavailable): Answer<string> {
  if (answer instanceof DnsUnavailable || (answer.nameExists && answer.records.length === 0)) throw failure;
  return answer;
}

interface Comparison {
  isRight: boolean;
  /** All addresses of the platform host. */
  platform: readonly string[];
  /** The AAAA records that are not the platform's, if nothing else is wrong. */
  strange6: readonly string[] | undefined;
  /** The addresses that are missing, if nothing else is wrong. */
  missing: readonly string[];
}

/** @throws DnsUnavailable if the lookup of the platform's addresses fails */
async function compare(
  { v4, v6, unanswered }: Addresses,
  { platformHost, platformAddresses: fixed = [] }: RoutingTarget,
  dns: Dns,
): Promise<Comparison> {
  const areFixed = (some: readonly string[]) =>
    some.length > 0 && some.every((address) => fixed.includes(address));
  if (areFixed([...v4, ...v6])) return { isRight: true, platform: fixed, strange6: undefined, missing: [] };

  const { end } = await followCnames(platformHost, dns);
  const ours: Addresses =
    end === undefined ? { nameExists: true, v4: [], v6: [] } : await addressesAt(end, dns);
  const strange = {
    v4: v4.filter((address) => ![...ours.v4, ...fixed].includes(address)),
    v6: v6.filter((address) => ![...ours.v6, ...fixed].includes(address)),
  };
  if (ours.unanswered !== undefined && strange[ours.unanswered.type].length > 0) throw ours.unanswered.error;

  // Visitors who have IPv6 have IPv4 too, in one way or another, so AAAA records are optional.
  const required = ours.v4.length > 0 && unanswered?.type !== 'v4' ? ours.v4 : ours.v6;
  const missing = areFixed(v4) ? [] : required.filter((address) => ![...v4, ...v6].includes(address));
  const isComplete = v4.length + v6.length > 0 && strange.v4.length === 0 && missing.length === 0;
  return {
    isRight: isComplete && strange.v6.length === 0,
    platform: [...ours.v4, ...ours.v6],
    strange6: isComplete && strange.v6.length > 0 ? strange.v6 : undefined,
    missing: strange.v4.length + strange.v6.length === 0 ? missing : [],
  };
}

/** @param record `ALIAS` if the name's A records are right */
function strangeRecord(name: string, record: RoutingRecord, expected: string, strange: readonly string[]) {
  return { code: 'conflicting_aaaa_record', name, record, expected, found: shownAddresses(strange) } as const;
}

function absent(nameExists: boolean, name: string, record: RoutingRecord, expected: string) {
  return { code: nameExists ? 'no_record' : 'nxdomain', name, record, expected } as const;
}

/** Hides addresses of private networks, and how many there are: only the operator may see them. */
function shownAddresses(addresses: readonly string[]): string {
  return shown(withoutPrivate(addresses, isPrivateAddress, PRIVATE_ADDRESS));
}

function shownNames(names: readonly string[], platformHost: string): string {
  return shown(withoutPrivate(names, (name) => isPrivateName(name, platformHost), 'a private name'));
}

function withoutPrivate(
  values: readonly string[],
  isPrivate: (value: string) => boolean,
  placeholder: string,
): string[] {
  return [...new Set(values.map((value) => (isPrivate(value) ? placeholder : value)))];
}
