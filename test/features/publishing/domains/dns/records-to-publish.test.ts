import {
  addressRecords,
  recordsToPublish,
} from '../../../../../src/features/publishing/domains/dns/records-to-publish.js';
import { parseDomainName } from '../../../../../src/features/publishing/domains/domain-name.js';

const platformHost = 'my-shop.pets.example.net';
const domain = (name: string) => parseDomainName(name, { platformHost: 'pets.example.net' });

describe('the DNS records that a customer must publish', () => {
  test('lead a subdomain by CNAME, as the specification has it', () => {
    expect(recordsToPublish(domain('shop.example.com'), { platformHost })).toEqual([
      { type: 'CNAME', name: 'shop', fullName: 'shop.example.com', value: platformHost, ttl: 3600 },
    ]);
  });

  test('point an apex to the platform by ALIAS', () => {
    expect(recordsToPublish(domain('example.co.uk'), { platformHost })).toEqual([
      { type: 'ALIAS', name: '@', fullName: 'example.co.uk', value: platformHost, ttl: 3600 },
    ]);
  });

  test('can lead an apex, and no subdomain, to fixed addresses', () => {
    expect(addressRecords(domain('example.com'), ['203.0.113.5', '2001:db8::5'])).toEqual([
      { type: 'A', name: '@', fullName: 'example.com', value: '203.0.113.5', ttl: 3600 },
      { type: 'AAAA', name: '@', fullName: 'example.com', value: '2001:db8::5', ttl: 3600 },
    ]);
    expect(addressRecords(domain('shop.example.com'), ['203.0.113.5'])).toEqual([]);
  });

  test('prove ownership by TXT if required, at a name next to the CNAME', () => {
    const [, proof] = recordsToPublish(domain('a.b.example.com'), { platformHost, ownershipToken: 'abc' });
    expect(proof).toEqual({
      type: 'TXT',
      name: '_pets-gateway.a.b',
      fullName: '_pets-gateway.a.b.example.com',
      value: 'pets-gateway=abc',
      ttl: 3600,
    });
    const [, ofApex] = recordsToPublish(domain('example.com'), { platformHost, ownershipToken: 'abc' });
    expect(ofApex).toMatchObject({ name: '_pets-gateway', fullName: '_pets-gateway.example.com' });
  });

  test('have names that DNS takes, for the longest domain too', () => {
    const longest = domain(`${'a.'.repeat(117)}a.com`);
    const [, proof] = recordsToPublish(longest, { platformHost, ownershipToken: 'abc' });
    expect(proof?.fullName).toHaveLength(253);
  });
});
