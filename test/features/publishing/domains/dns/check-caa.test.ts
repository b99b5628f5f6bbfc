import { checkCaa } from '../../../../../src/features/publishing/domains/dns/check-caa.js';
import { createDns, type Dns } from '../../../../../src/features/publishing/domains/dns/dns.js';
import type { Fault } from '../../../../../src/features/publishing/domains/problem.js';
import { CAA_ACCOUNT_URL, CAA_DECISIONS, CAA_ISSUER } from './caa-decisions.js';
import { startDnsInFront } from '../../../../support/dns-in-front.js';
import { startKnot, type Knot } from '../../../../support/knot.js';

let knot: Knot;
let dns: Dns;

beforeAll(async () => {
  knot = await startKnot();
  dns = createDns({ servers: [knot.address], timeoutMs: 20_000 });
});
afterAll(() => knot.close());

const PASSED = { passed: true };
const BLOCKED = { passed: false, fault: { code: 'caa_blocks' } };
let count = 0;
let domain: string;
let name: string;
beforeEach(() => {
  domain = `caa-${(count += 1)}.example`;
  name = `shop.${domain}`;
});
const PLATFORM_HOST = 'pets.test';
const ACCOUNT = () => Promise.resolve<string | undefined>(CAA_ACCOUNT_URL);
const check = (identities: readonly string[] = [CAA_ISSUER], accountUrl = ACCOUNT) =>
  checkCaa(name, { identities, accountUrl, platformHost: PLATFORM_HOST }, dns);

describe('CAA records', () => {
  test('that do not exist block nothing', async () => {
    expect(await check()).toEqual(PASSED);
  });

  test.each(CAA_DECISIONS)(
    'that name %s: %j, as the authority decides: %s',
    async (_what, values, permits) => {
      await knot.set(name, 'CAA', ...values);
      expect(await check()).toMatchObject(permits ? PASSED : BLOCKED);
    },
  );

  test('that block are reported with their place and a fix, until they are fixed', async () => {
    await knot.set(domain, 'CAA', '0 issue "other.example"');
    expect(await check(['ca.example', 'ca.test'])).toEqual({
      passed: false,
      fault: {
        code: 'caa_blocks',
        name,
        recordName: domain,
        expected: '0 issue "ca.example" or 0 issue "ca.test"',
        found: '0 issue "other.example"',
      },
    });
    await knot.set(domain, 'CAA', '0 issue "other.example"', '0 issue "ca.test"');
    expect(await check(['ca.example', 'ca.test'])).toEqual(PASSED);
  });

  test('that are critical and unknown are reported as what to remove, and a missing permission as what to add', async () => {
    await knot.set(name, 'CAA', '0 issue "ca.example"', '128 tbs "x"');
    const { fault } = (await check()) as { fault: Fault };
    expect(fault).toMatchObject({ code: 'caa_blocks', unknown: '128 tbs "x"' });
    expect(fault).not.toHaveProperty('expected');
    await knot.set(name, 'CAA', '0 issue "other.example"', '128 tbs "x"');
    expect(await check()).toMatchObject({
      fault: { expected: '0 issue "ca.example"', unknown: '128 tbs "x"' },
    });
    await knot.set(name, 'CAA', '0 issue "other.example"', '0 issue "ca.example"');
    expect(await check()).toEqual(PASSED);
  });

  test('that restrict accounts are reported with a record for this account', async () => {
    await knot.set(name, 'CAA', '0 issue "ca.example; accounturi=https://ca.example/acme/acct/8"');
    const expected = `0 issue "ca.example; accounturi=${CAA_ACCOUNT_URL}"`;
    expect(await check()).toMatchObject({ fault: { code: 'caa_blocks', expected } });
    await knot.set(name, 'CAA', expected);
    expect(await check()).toEqual(PASSED);
  });

  test('lead to a look at the account only if they name one for this authority', async () => {
    const accountUrl = jest.fn(ACCOUNT);
    await knot.set(
      name,
      'CAA',
      '0 issue "ca.example"',
      '0 issue "other.example; accounturi=https://x.example/1"',
    );
    expect(await check([CAA_ISSUER], accountUrl)).toEqual(PASSED);
    expect(accountUrl).not.toHaveBeenCalled();
    await knot.set(name, 'CAA', '0 issue "ca.example; accounturi=https://x.example/1"');
    expect(await check([CAA_ISSUER], accountUrl)).toMatchObject(BLOCKED);
    expect(await check([CAA_ISSUER], () => Promise.resolve(undefined))).toEqual(PASSED);
  });

  test('say whether they are the platform’s, which customers cannot change', async () => {
    await knot.set(domain, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject({ fault: { recordName: domain } });
    expect(await check()).not.toHaveProperty('fault.isPlatforms');
    const site = `site-${count}.${PLATFORM_HOST}`;
    await knot.set(name, 'CNAME', `${site}.`);
    await knot.set(site, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject({ fault: { recordName: site, isPlatforms: true } });
    // The platform's name can be an alias too.
    await knot.unset(site, 'CAA');
    await knot.set(site, 'CNAME', `balancer-${count}.example.`);
    await knot.set(`balancer-${count}.example`, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject({
      fault: { recordName: `balancer-${count}.example`, isPlatforms: true },
    });
    await knot.set(site, 'CNAME', `elsewhere-${count}.x${PLATFORM_HOST}.`);
    await knot.set(`elsewhere-${count}.x${PLATFORM_HOST}`, 'CAA', '0 issue ";"');
    await knot.set(name, 'CNAME', `elsewhere-${count}.x${PLATFORM_HOST}.`);
    expect(await check()).not.toHaveProperty('fault.isPlatforms');
  });

  test('are read from a server that rejects CNAME queries', async () => {
    const isCname = (query: Buffer) => query.readUInt16BE(12 + name.length + 2) === 5;
    const refused = (answer: Buffer) =>
      Buffer.concat([answer.subarray(0, 3), Buffer.from([5]), answer.subarray(4)]);
    const front = await startDnsInFront(knot, (query, answer) => [isCname(query) ? refused(answer) : answer]);
    try {
      await knot.set(name, 'CNAME', `target.${domain}.`);
      await knot.set(`target.${domain}`, 'CAA', '0 issue "other.example"');
      const through = createDns({ servers: [front.address] });
      const authority = { identities: [CAA_ISSUER], accountUrl: ACCOUNT, platformHost: PLATFORM_HOST };
      expect(await checkCaa(name, authority, through)).toMatchObject({
        fault: { code: 'caa_blocks', recordName: `target.${domain}` },
      });
    } finally {
      await front.close();
    }
  });

  test('of the nearest name count, those above it do not', async () => {
    await knot.set(domain, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject(BLOCKED);
    await knot.set(name, 'CAA', '0 issue "ca.example"');
    expect(await check()).toEqual(PASSED);
  });

  test('of the top-level domain count when there are no others', async () => {
    const top = `top-${count}`;
    name = `shop.my.${top}`;
    await knot.set(top, 'CAA', '0 issue ";"');
    expect(await check()).toMatchObject({ fault: { code: 'caa_blocks', recordName: top } });
  });

  test('of the CNAME target count, those above it do not', async () => {
    const platform = `platform-${count}.test`;
    await knot.addZone(platform);
    await knot.set(name, 'CNAME', `my-shop.${platform}.`);
    await knot.set(platform, 'CAA', '0 issue ";"');
    expect(await check()).toEqual(PASSED);
    await knot.set(`my-shop.${platform}`, 'CAA', '0 issue "other.example"');
    expect(await check()).toMatchObject({ fault: { recordName: `my-shop.${platform}` } });
    await knot.set(`my-shop.${platform}`, 'CAA', '0 issue "ca.example"');
    await knot.set(domain, 'CAA', '0 issue ";"');
    expect(await check()).toEqual(PASSED);
    await knot.unset(`my-shop.${platform}`, 'CAA');
    expect(await check()).toMatchObject({ fault: { recordName: domain } });
  });

  test('block an authority that names no identity only when they permit nobody', async () => {
    await knot.set(name, 'CAA', '0 issue "other.example"');
    expect(await check([])).toEqual(PASSED);
    await knot.set(name, 'CAA', '0 issue ";"');
    expect(await check([])).toEqual({
      passed: false,
      fault: { code: 'caa_blocks', name, recordName: name, found: '0 issue ";"' },
    });
  });

  test('are unknown, not absent, while DNS fails at any parent name, until it is fixed', async () => {
    await knot.addZone(name);
    await knot.breakZone(domain);
    expect(await check()).toEqual({
      passed: false,
      fault: { code: 'dns_unavailable', name: domain, reason: 'SERVFAIL', recordType: 'CAA' },
    });
    await knot.removeZone(domain);
    expect(await check()).toEqual(PASSED);
  });

  test('are unknown if CNAME records form a loop, as for the authority’s resolver', async () => {
    await knot.set(name, 'CNAME', `${name}.`);
    expect(await check()).toMatchObject({ fault: { code: 'dns_unavailable', name } });
    await knot.unset(name, 'CNAME');
    expect(await check()).toEqual(PASSED);
  });
});
