import fc from 'fast-check';
import { domainToASCII } from 'node:url';
import { parseDomainName } from '../../../../src/features/publishing/domains/domain-name.js';
import { ApiError } from '../../../../src/lib/errors.js';
import { anyText } from '../../../support/any-text.js';

const rules = { platformHost: 'pets.example.net' };
const parse = (text: string) => parseDomainName(text, rules);

/** The reason of the refusal. */
function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('invalid_request');
    expect(error.message).toMatch(/^domain: /);
    return error.message;
  }
  throw new Error(`${text} was accepted`);
}

describe('a domain name that a person typed', () => {
  test('is read as a subdomain of what was registered', () => {
    expect(parse('Shop.Example.COM.')).toEqual({
      name: 'shop.example.com',
      unicode: 'shop.example.com',
      registrable: 'example.com',
      isApex: false,
      label: 'shop',
    });
  });

  test.each([
    'https://www.example.org/',
    'https://www.example.org',
    'HTTP://WWW.Example.ORG./',
    'www.example.org/',
    '  https://www.example.org/ ',
    'www.example.org\n',
  ])('is read from what was pasted: %j', (text) => {
    expect(parse(text)).toMatchObject({ name: 'www.example.org', registrable: 'example.org' });
  });

  test.each([
    'https://www.example.org/shop',
    'https://www.example.org/?a=b',
    'https://www.example.org//',
    'https://www.example.org:8443/',
    'https://me@www.example.org/',
    'https://https://www.example.org/',
    'https:www.example.org',
    'ftp://www.example.org/',
    'https://',
    '/',
  ])('is rejected if more is pasted than a domain: %j', (text) => {
    expect(refusal(text)).toMatch(/must be a domain name only|must not be empty/);
  });

  test('is read as an apex', () => {
    expect(parse('example.com')).toMatchObject({ registrable: 'example.com', isApex: true, label: '' });
  });

  test.each([
    ['example.co.uk', 'example.co.uk', ''],
    ['a.b.example.co.uk', 'example.co.uk', 'a.b'],
    ['me.github.io', 'me.github.io', ''],
    ['shop.me.github.io', 'me.github.io', 'shop'],
    ['x.city.kobe.jp', 'city.kobe.jp', 'x'],
    ['x.a.other.kobe.jp', 'a.other.kobe.jp', 'x'],
    ['www.ck', 'www.ck', ''],
    ['shop.b.other.ck', 'b.other.ck', 'shop'],
    ['shop.a.公司.cn', 'a.xn--55qx5d.cn', 'shop'],
    ['shop.пример.рф', 'xn--e1afmkfd.xn--p1ai', 'shop'],
    ['shop.example.not-yet-listed', 'example.not-yet-listed', 'shop'],
  ])('%s is registered as %s', (text, registrable, label) => {
    expect(parse(text)).toMatchObject({ registrable, label, isApex: label === '' });
  });

  test.each([
    ['pets.internal', 'shop.paws.internal'],
    ['pets.internal', 'shop.paws.test'],
    ['pets.test', 'shop.paws.test'],
    ['pets.test', 'shop.paws.example'],
    ['pets.localhost', 'shop.paws.example'],
  ])('is private where the platform is: %s has %s', (platformHost, name) => {
    expect(parseDomainName(name, { platformHost })).toMatchObject({ name, label: 'shop' });
  });

  test.each([
    ['pets.example.net', 'shop.paws.test'],
    ['pets.example.net', 'shop.paws.example'],
    ['pets.example.net', 'shop.paws.internal'],
    ['pets.test', 'shop.paws.internal'],
    ['pets.internal', 'shop.paws.corp'],
    ['pets.localhost', 'shop.localhost'],
    ['pets.local', 'shop.local'],
  ])('is refused when it is private, and the platform is not there: %s has no %s', (platformHost, name) => {
    expect(() => parseDomainName(name, { platformHost })).toThrow('must be a public name');
  });

  test.each(['co.uk', 'github.io', 'other.kobe.jp', 'other.ck', '公司.cn', 's3.amazonaws.com', 'vercel.app'])(
    'is refused when it is the public suffix %s',
    (text) => expect(refusal(text)).toContain('is a public suffix'),
  );

  test.each([
    ['BÜCHER.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com'],
    ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com', 'bücher.example.com'],
    ['faß.de', 'xn--fa-hia.de', 'faß.de'],
    ['例え。テスト.jp', 'xn--r8jz45g.xn--zckzah.jp', '例え.テスト.jp'],
    ['ｅｘａｍｐｌｅ.com', 'example.com', 'example.com'],
    ['пример.com', 'xn--e1afmkfd.com', 'пример.com'],
  ])('%s is stored as %s and shown as %s', (text, name, unicode) => {
    expect(parse(text)).toMatchObject({ name, unicode });
  });

  test('that mixes lookalike scripts in one label is shown in ASCII', () => {
    expect(parse('\u0430pple.com').unicode).toBe('xn--pple-43d.com');
  });

  test.each([
    '192.0.2.1',
    '3221225985',
    '0xC0000201',
    '0300.0.2.1',
    '192.513',
    '192.0.2.1.',
    '１９２.0.2.1',
    '::1',
    '[::1]',
    '[2001:db8::1]',
    '::ffff:192.0.2.1',
  ])('is refused when it is the IP address %s', (text) =>
    expect(refusal(text)).toContain('not an IP address'),
  );

  test.each([
    ['', 'empty'],
    ['ftp://shop.example.com', 'no scheme'],
    ['shop.example.com:443', 'port'],
    ['[::1]:443', 'port'],
    ['shop.example.com/x', 'path'],
    ['shop.example.com\\x', 'path'],
    ['shop.example.com?a', 'path'],
    ['shop.example.com#a', 'path'],
    ['me@example.com', 'user'],
    ['shop.example.com／x', 'not a valid domain name'],
    ['*.example.com', 'wildcard'],
    ['shop.*.com', 'wildcard'],
    ['%73hop.example.com', 'percent'],
    ['shop%2eexample.com', 'percent'],
    ['shop .example.com', 'spaces'],
    ['shop\n.example.com', 'line breaks'],
    ['sh\top.example.com', 'spaces'],
    ['shop\0.example.com', 'control characters'],
    ['shop\u00a0x.example.com', 'spaces'],
    ['_acme-challenge.example.com', 'underscores'],
    ['my_shop.example.com', 'underscores'],
    ['-shop.example.com', 'start or end with a hyphen'],
    ['shop-.example.com', 'start or end with a hyphen'],
    ['sh--op.example.com', 'third and fourth'],
    ['xn--a.example.com', 'not a valid domain name'],
    ['xn--0.example.com', 'not a valid domain name'],
    ['sho\u200dp.example.com', 'not a valid domain name'],
    ['sho\ud800p.example.com', 'not a valid domain name'],
    ['shop..example.com', 'empty part'],
    ['.example.com', 'empty part'],
    ['example.com..', 'empty part'],
    ['.', 'not a valid domain name'],
    ['com', 'at least two parts'],
    ['localhost', 'at least two parts'],
    ['shop.example.1', 'not a valid domain name'],
    ["shop'.example.com", 'only letters, digits and hyphens'],
    ['{shop}.example.com', 'only letters, digits and hyphens'],
    ['shop.localhost', '.localhost is reserved'],
    ['printer.local', 'reserved'],
    ['shop.example.invalid', 'reserved'],
    ['pets.onion', 'reserved'],
    ['router.home.arpa', 'reserved'],
    ['1.2.0.192.in-addr.arpa', 'reserved'],
    ['shop.alt', 'reserved'],
    ['pets.example.net', 'the platform assigns'],
    ['my-shop.PETS.example.net.', 'the platform assigns'],
  ])('%j is refused: %s', (text, reason) => expect(refusal(text)).toContain(reason));

  test('beside the platform’s own is accepted', () => {
    expect(parse('example.net').name).toBe('example.net');
    expect(parse('mypets.example.net').name).toBe('mypets.example.net');
  });

  test('may have hyphens where they mean nothing', () => {
    expect(parse('s-h--op.our-pets.com').name).toBe('s-h--op.our-pets.com');
  });

  test('has at most 63 characters in a part', () => {
    expect(parse(`${'a'.repeat(63)}.com`).isApex).toBe(true);
    expect(refusal(`${'a'.repeat(64)}.com`)).toContain('more than 63');
    expect(refusal(`${'ü'.repeat(63)}.com`)).toContain('more than 63');
  });

  test('is as long as leaves room for its ownership record', () => {
    const long = (length: number) => `${'a.'.repeat(117)}${'a'.repeat(length - 238)}.com`;
    expect(parse(long(239)).name).toHaveLength(239);
    expect(refusal(long(240))).toContain('at most 239');
    expect(refusal('a.'.repeat(1_000_000) + 'com')).toContain('at most 239');
    // Soft hyphens are dropped from a name, but a name this long is rejected before that.
    expect(parse(`shop.example\u00ad.com`).name).toBe('shop.example.com');
    expect(refusal(`shop.example${'\u00ad'.repeat(1000)}.com`)).toContain('at most 239');
  });

  test('names the field of the request in the error', () => {
    expect(() => parseDomainName('', { ...rules, field: 'input.name' })).toThrow(
      'input.name: must not be empty',
    );
  });
});

describe('whatever is typed', () => {
  const pieces = fc.constantFrom(
    ...[
      'a',
      'b1',
      '-',
      '--',
      'xn--',
      'xn--bcher-kva',
      'ü',
      'ß',
      'я',
      '。',
      '.',
      '..',
      '*',
      '_',
      '%41',
      '\0',
      ' ',
    ],
    ...[
      'co',
      'uk',
      'com',
      'github.io',
      'kobe.jp',
      '192',
      '0x7f',
      '1',
      ':',
      '/',
      '[',
      ']',
      '@',
      '\u200d',
      '\u00ad',
      '😀',
    ],
  );
  const typed = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.domain(),
    fc.webUrl(),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc
      .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
      .map((labels) => labels.join('.')),
  );
  const parsed = (text: string) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_request') return undefined;
      throw error;
    }
  };

  test('is accepted or refused as an invalid request', () => {
    fc.assert(
      fc.property(typed, (text) => expect(() => parsed(text)).not.toThrow()),
      { numRuns: 3000 },
    );
  });

  test('becomes a hostname when it is accepted, at or under what was registered', () => {
    let accepted = 0;
    fc.assert(
      fc.property(typed, (text) => {
        const domain = parsed(text);
        if (domain === undefined) return;
        accepted += 1;
        const { name, registrable, isApex, label } = domain;
        expect(name.length).toBeLessThanOrEqual(253);
        expect(name.split('.').length).toBeGreaterThan(1);
        for (const part of name.split('.')) expect(part).toMatch(/^(?!-)[a-z0-9-]{1,63}(?<!-)$/);
        expect(domainToASCII(name)).toBe(name);
        expect(name).toBe(isApex ? registrable : `${label}.${registrable}`);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test('is read the same again, from what is stored and from what is shown', () => {
    let accepted = 0;
    fc.assert(
      fc.property(typed, (text) => {
        const domain = parsed(text);
        if (domain === undefined) return;
        accepted += 1;
        expect(parse(domain.name)).toEqual(domain);
        expect(parse(domain.unicode)).toEqual(domain);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
