import { hostOfHeader, isHostName } from '../../src/lib/host-name.js';

test.each([
  ['shop.example', 'shop.example'],
  ['Shop.EXAMPLE:8080', 'shop.example'],
  ['shop.example.', 'shop.example'],
  ['shop.example.:443', 'shop.example'],
  ['shop.example:', 'shop.example'],
  ['127.0.0.1:3000', '127.0.0.1'],
  ['[::1]:3000', '[::1]'],
  ['[2001:DB8::1]', '[2001:db8::1]'],
  ['', ''],
  [':80', ''],
  ['a_b.example', 'a_b.example'],
])('Host: %s names %j', (header, host) => {
  expect(hostOfHeader(header)).toBe(host);
});

test.each([
  'shop.example, other.example',
  'shop.example other.example',
  'user@shop.example',
  'user:password@shop.example',
  'shop.example:80:80',
  'shop.example:eighty',
  'shop.example:123456',
  'shop.example/path',
  'http://shop.example',
  'shöp.example',
  'sh%6fp.example',
  '::1',
  '[::1',
  '[::1].example',
  '[::1%25eth0]',
  'shop.example\t',
  '*',
])('Host: %s is no valid header', (header) => {
  expect(hostOfHeader(header)).toBeUndefined();
});

test.each(['pets.example', 'localhost', 'a-b.c1', 'xn--bcher-kva.example', '1.example', 'a'.repeat(63)])(
  '%s is a host name',
  (text) => {
    expect(isHostName(text)).toBe(true);
  },
);

test.each([
  '',
  '.',
  'a..b',
  'a.',
  '.a',
  '-a.example',
  'a-.example',
  'a_b.example',
  '127.0.0.1',
  '[::1]',
  'Pets.example',
  'a'.repeat(64),
  Array.from({ length: 64 }, () => 'abc').join('.'),
])('%j is no host name', (text) => {
  expect(isHostName(text)).toBe(false);
});
