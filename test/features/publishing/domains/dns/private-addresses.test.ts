import { maskPrivateAddresses } from '../../../../../src/features/publishing/domains/dns/private-addresses.js';

test.each([
  [
    '127.0.0.1: Fetching http://shop.example/x: refused',
    'a private address: Fetching http://shop.example/x: refused',
  ],
  ['dial tcp 10.1.2.3:80: refused', 'dial tcp a private address:80: refused'],
  ['at [fd00::12]:80 and ::1', 'at [a private address]:80 and a private address'],
  ['at ::ffff:192.168.0.1.', 'at a private address.'],
  ['IPv4:10.0.0.5, tcp:10.0.0.5:80', 'IPv4:a private address, tcp:a private address:80'],
  [
    'address:fd00::1, fd00::, ::ffff:10.0.0.5:80',
    'address:a private address, a private address, ::ffff:a private address:80',
  ],
  ['10.0.0.5... 10.0.0.5.: ::1.', 'a private address... a private address.: a private address.'],
  ['at 203.0.113.5:80 and 2a00:1::5, cafe.de, v1.2', 'at 203.0.113.5:80 and 2a00:1::5, cafe.de, v1.2'],
])('masks the private addresses in a text: %s', (text, masked) => {
  expect(maskPrivateAddresses(text)).toBe(masked);
});
