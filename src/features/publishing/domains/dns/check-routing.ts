import type { DomainName } from '../domain-name.js';
import type { Fault, RoutingRecord } from '../problem.js';
import { checked, failed, PASSED, shown, type Check } from './check.js';
import { DnsUnavailable, followCnames, type Dns } from './dns.js';
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
 * Checks whether a name leads to its project (specification 1.1, items 2 and 5). A subdomain must reach `platformHost`
 * through CNAME records. An apex must have exactly the addresses of `platformHost`, or only fixed addresses of the
 * platform.
 */
export function checkRouting(
  { name, isApex }: Pick<DomainName, 'name' | 'isApex'>,
  target: RoutingTarget,
  dns: Dns,
): Promise<Check<RoutingFault>> {
  return checked(() =>
    isApex ? checkApex(name, target, dns) : checkSubdomain(name, target.platformHost, dns),
  );
}

async function checkSubdomain(name: string, platformHost: string, dns: Dns): Promise<Check<RoutingFault>> {
  const { targets, end } = await followCnames(name, dns, platformHost);
  const expected = platformHost;
  if (end === platformHost) return PASSED;
  if (end === undefined)
    return failed({ code: 'cname_loop', name, expected, found: shownNames(targets, platformHost) });
  if (targets.length > 0)
    return failed({
      code: 'cname_mismatch',
      name,
      expected,
      found: shownNames(targets.slice(0, 1), platformHost),
    });

  const { nameExists, v4, v6 } = await addressesAt(name, dns);
  if (v4.length > 0)
    return failed({ code: 'conflicting_a_record', name, expected, found: shownAddresses([...v4, ...v6]) });
  if (v6.length > 0)
    return failed({
      code: 'conflicting_aaaa_record',
      name,
      record: 'CNAME',
      expected,
      found: shownAddresses(v6),
    });
  return failed(absent(nameExists, name, 'CNAME', expected));
}

async function checkApex(
  name: string,
  { platformHost, platformAddresses: fixed = [] }: RoutingTarget,
  dns: Dns,
): Promise<Check<RoutingFault>> {
  const { targets, end } = await followCnames(name, dns);
  if (end === undefined)
    return failed({
      code: 'cname_loop',
      name,
      expected: platformHost,
      found: shownNames(targets, platformHost),
    });

  const { nameExists, v4, v6 } = await addressesAt(end, dns);
  const found = [...v4, ...v6];
  const areFixed = (some: readonly string[]) =>
    some.length > 0 && some.every((address) => fixed.includes(address));
  if (areFixed(found)) return PASSED;
  const addresses = fixed.length > 0 ? { addresses: shown(fixed) } : {};
  if (found.length === 0 && targets.length === 0)
    return failed({ ...absent(nameExists, name, 'ALIAS', platformHost), ...addresses });

  const ours = await addressesOfPlatform(platformHost, dns);
  const strange = v6.filter((address) => ![...ours.v6, ...fixed].includes(address));
  const expected = addresses.addresses ?? shownAddresses([...ours.v4, ...ours.v6]);
  if ((isSameSet(v4, ours.v4) || areFixed(v4)) && strange.length > 0)
    return failed({
      code: 'conflicting_aaaa_record',
      name,
      record: 'ALIAS',
      expected,
      found: shownAddresses(strange),
    });
  if (!isSameSet(found, [...ours.v4, ...ours.v6]))
    return failed({
      code: 'apex_address_mismatch',
      name,
      platformHost,
      expected,
      found: found.length > 0 ? shownAddresses(found) : shownNames(targets, platformHost),
      ...addresses,
    });
  return PASSED;
}

interface Addresses {
  nameExists: boolean;
  v4: readonly string[];
  v6: readonly string[];
}

/** Looks up the addresses of a name without a CNAME record. */
async function addressesAt(name: string, dns: Dns): Promise<Addresses> {
  const [v4, v6] = await Promise.all([dns.addresses4(name), dns.addresses6(name)]);
  return { nameExists: v4.nameExists, v4: v4.records, v6: v6.records };
}

/** @throws DnsUnavailable also if the platform has no address: this is not a fault of the customer's records */
async function addressesOfPlatform(platformHost: string, dns: Dns): Promise<Addresses> {
  const { end } = await followCnames(platformHost, dns);
  const addresses = end === undefined ? undefined : await addressesAt(end, dns);
  if (addresses === undefined || addresses.v4.length + addresses.v6.length === 0)
    throw new DnsUnavailable(platformHost, 'the platform has no address');
  return addresses;
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

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value) => others.includes(value));
}
