import { Resolver } from 'node:dns';
import { isDnsServer } from '../../src/config/dns-server.js';

describe('a DNS server of the setting DNS_SERVERS', () => {
  test.each(['192.0.2.1', '192.0.2.1:53', '127.0.0.1:65535', '2001:db8::1', '[2001:db8::1]', '[::1]:5353'])(
    'accepts %s, and so does the resolver',
    (text) => {
      expect(isDnsServer(text)).toBe(true);
      expect(() => new Resolver().setServers([text])).not.toThrow();
    },
  );

  test.each([
    '',
    'dns.example',
    'dns.example:53',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2',
    '192.0.2.1:53:53',
    '[192.0.2.1]:53',
    '[::1',
    '::1]:53',
    ' 192.0.2.1',
    'x\n192.0.2.1:53',
    '(::1)',
    '[::1)',
    '(::1]',
  ])('rejects %j', (text) => expect(isDnsServer(text)).toBe(false));
});
