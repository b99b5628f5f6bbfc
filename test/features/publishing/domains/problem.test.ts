import {
  lastProblemOf,
  problemOf,
  siteProblemOf,
  type Fault,
  type OwnershipMistake,
  type ProblemCode,
} from '../../../../src/features/publishing/domains/problem.js';

const at = new Date('2026-11-21T12:00:00Z');
const name = 'shop.example.com';
const expected = 'my-shop.pets.example.net';

/** One of each code; for the compiler to miss none. */
const FAULTS: { [C in ProblemCode]: Fault & { code: C } } = {
  no_record: { code: 'no_record', name, record: 'CNAME', expected },
  nxdomain: { code: 'nxdomain', name, record: 'ALIAS', expected },
  cname_mismatch: { code: 'cname_mismatch', name, expected, found: 'old.example.org' },
  conflicting_a_record: { code: 'conflicting_a_record', name, expected, found: '192.0.2.1' },
  conflicting_aaaa_record: {
    code: 'conflicting_aaaa_record',
    name,
    record: 'CNAME',
    expected,
    found: '2001:db8::1',
  },
  apex_address_mismatch: {
    code: 'apex_address_mismatch',
    name: 'example.com',
    platformHost: expected,
    expected: '198.51.100.1',
    found: '192.0.2.1',
  },
  cname_loop: { code: 'cname_loop', name, expected, found: 'a.example.com, b.example.com' },
  dns_unavailable: { code: 'dns_unavailable', name, reason: 'SERVFAIL' },
  ownership_txt_required: {
    code: 'ownership_txt_required',
    recordName: `_pets-gateway.${name}`,
    expected: 'pets-gateway=abc',
  },
  caa_blocks: {
    code: 'caa_blocks',
    name,
    recordName: 'example.com',
    expected: '0 issue "ca.example"',
    found: '0 issue "other.example"',
  },
  ca_rate_limited: { code: 'ca_rate_limited', name },
  ca_unavailable: { code: 'ca_unavailable', name },
  ca_rejected: { code: 'ca_rejected', name, detail: 'the name is on a list' },
  plan_required: { code: 'plan_required', name },
  not_deployed: { code: 'not_deployed', name },
  ssl_overdue: { code: 'ssl_overdue', name },
};

/** The words that tell a person what to do next; most are the specification's own, section 1.1 item 5. */
const NEXT_STEP: Record<ProblemCode, string[]> = {
  no_record: ['Add a CNAME record', expected, 'up to 48 hours'],
  nxdomain: ['Add an ALIAS or ANAME record', expected, 'up to 48 hours'],
  cname_mismatch: ['differs from the value in the dashboard', `Change it to ${expected}`],
  conflicting_a_record: ['blocks the CNAME', 'Remove it', '192.0.2.1'],
  conflicting_aaaa_record: ['blocks the CNAME', 'Remove it', '2001:db8::1'],
  apex_address_mismatch: ['ALIAS or ANAME', 'Not every DNS provider supports these', 'www.example.com'],
  cname_loop: ['loop', expected],
  dns_unavailable: ['SERVFAIL', 'checks again automatically'],
  ownership_txt_required: ['TXT record', `_pets-gateway.${name}`, 'pets-gateway=abc', 'Verify'],
  caa_blocks: ['blocks the certificate authority', '0 issue "ca.example"', 'Re-verify'],
  ca_rate_limited: ['don’t need to do anything'],
  ca_unavailable: ['don’t need to do anything'],
  ca_rejected: ['the name is on a list. Confirm', 'Re-verify'],
  plan_required: ['Pro or above'],
  not_deployed: ['Deploy'],
  ssl_overdue: ['30 minutes', 'still verifies', 'CAA', 'Re-verify to trigger a new attempt'],
};

describe('a problem of a domain', () => {
  test.each(Object.values(FAULTS))('$code says what to do next', (fault) => {
    const { message } = problemOf(fault, at);
    for (const words of NEXT_STEP[fault.code]) expect(message).toContain(words);
    expect(message).not.toMatch(/undefined|\[object/);
    expect(message).toMatch(/^\S.*\.$/);
  });

  test('has its code, what was expected and found, and when', () => {
    const retryAt = new Date('2026-11-21T12:05:00Z');
    expect(problemOf(FAULTS.cname_mismatch, at, retryAt)).toEqual({
      code: 'cname_mismatch',
      message: expect.any(String) as string,
      expected,
      found: 'old.example.org',
      at,
      retryAt,
    });
  });

  test.each([
    ['no_answer', 'port 80'],
    ['dns', 'DNSSEC'],
    ['name', 'issues no certificates for this name'],
    [undefined, 'still verifies'],
  ] as const)('of a rejection names the remedy for its cause, which is not CAA: %s', (cause, remedy) => {
    const { message } = problemOf({ ...FAULTS.ca_rejected, cause }, at);
    expect(message).toContain(remedy);
    expect(message).not.toContain('CAA');
  });

  test('has only the members that apply', () => {
    expect(Object.keys(problemOf(FAULTS.plan_required, at))).toEqual(['code', 'message', 'at']);
  });

  test('of an apex’s AAAA record says that some visitors get to another server', () => {
    const fault: Fault = { ...FAULTS.conflicting_aaaa_record, name: 'example.com', record: 'ALIAS' };
    expect(problemOf(fault, at).message).toContain('some visitors elsewhere');
  });

  test.each(Object.values(FAULTS))('$code, after the last check, says how checks start again', (fault) => {
    const { message, retryAt } = lastProblemOf(fault, at);
    expect(message).toContain('for 48 hours and has stopped');
    expect(message).toMatch(/choose Verify to make it check again\.$/);
    expect(message).not.toContain('checks again automatically');
    expect(retryAt).toBeUndefined();
  });

  test('of a critical CAA record with an unknown tag asks to remove that record, and to add what else is missing', () => {
    const unknown = '128 tbs "x"';
    const { expected: wanted, ...rest } = FAULTS.caa_blocks;
    const alone = problemOf({ ...rest, unknown }, at);
    expect(alone.message).toContain(`(${unknown}) is critical`);
    expect(alone.message).toContain('Remove this record, and choose Re-verify');
    expect(alone.message).not.toContain('Add a CAA record');
    const both = problemOf({ ...rest, expected: wanted ?? '', unknown }, at);
    expect(both.message).toContain(
      'Remove this record, add a CAA record for example.com with the value 0 issue "ca.example", and choose Re-verify',
    );
  });

  test.each([FAULTS.nxdomain, FAULTS.apex_address_mismatch])(
    '$code of an apex names the fixed addresses of the platform',
    (fault) => {
      const addresses = '203.0.113.5, 2001:db8::5';
      expect(problemOf({ ...fault, addresses }, at).message).toContain(
        `add A and AAAA records with these addresses instead: ${addresses}.`,
      );
    },
  );

  test('of CAA records of the platform asks the customer for nothing, and shows no record', () => {
    const { message, ...rest } = problemOf({ ...FAULTS.caa_blocks, isPlatforms: true }, at);
    expect(message).toContain(`certificate for ${name} has to wait. You don’t need to do anything`);
    expect(message).not.toContain('example.com with the value');
    expect(rest).toEqual({ code: 'caa_blocks', at });
    expect(siteProblemOf({ ...FAULTS.caa_blocks, isPlatforms: true }, at).message).toContain(
      'to the operator',
    );
  });

  test('of CAA records that only the authority saw names no record of its own', () => {
    const { recordName: _unseen, ...fault } = {
      ...FAULTS.caa_blocks,
      found: 'CAA record for com prevents issuance',
    };
    const { message } = problemOf(fault, at);
    expect(message).toContain(
      'because of CAA records (CAA record for com prevents issuance). At the name that has',
    );
    expect(message).not.toContain('A CAA record of');
    expect(message).toContain(
      'add one with the value 0 issue "ca.example", or remove them, and choose Re-verify',
    );
  });

  test('of a DNS failure names the record type, and says what a failure on CAA means', () => {
    const caa = problemOf({ ...FAULTS.dns_unavailable, reason: 'REFUSED', recordType: 'CAA' }, at);
    expect(caa.message).toContain(`DNS did not answer for ${name} (CAA, REFUSED), so`);
    expect(caa.message).toContain('Some old name servers reject queries for CAA records');
    expect(caa.message).toContain('name servers answer queries for CAA records');
    const txt = problemOf({ ...FAULTS.dns_unavailable, recordType: 'TXT' }, at);
    expect(txt.message).toContain('(TXT, SERVFAIL)');
    expect(txt.message).not.toContain('CAA');
  });

  test.each<[OwnershipMistake, string]>([
    [
      { kind: 'quotes' },
      `has quotes or other characters around its value ("pets-gateway=abc"). Change the value to pets-gateway=abc,`,
    ],
    [
      { kind: 'doubled', foundAt: `_pets-gateway.${name}.example.com`, label: '_pets-gateway.shop' },
      `The TXT record is at _pets-gateway.${name}.example.com: your DNS provider adds the domain`,
    ],
    [
      { kind: 'wildcard', name },
      `First add the CNAME record of ${name} that the dashboard shows. Then add a TXT`,
    ],
  ])('of a mistake with the TXT record names it: %j', (mistake, text) => {
    const found = '"pets-gateway=abc"';
    expect(problemOf({ ...FAULTS.ownership_txt_required, found, mistake }, at).message).toContain(text);
  });

  test('of an apex that lacks addresses names them, and asks to remove no other record', () => {
    const { message } = problemOf({ ...FAULTS.apex_address_mismatch, missing: '198.51.100.2' }, at);
    expect(message).toContain('but not to 198.51.100.2');
    expect(message).not.toContain('other A and AAAA records');
  });

  test('of CAA records asks for no unknown record', () => {
    const { expected: _none, ...fault } = FAULTS.caa_blocks;
    expect(problemOf(fault, at).message).toContain('Remove it, and choose Re-verify');
  });
});
