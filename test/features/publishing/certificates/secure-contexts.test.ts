import { randomBytes } from 'node:crypto';
import { createKeyRing } from '../../../../src/features/publishing/certificates/key-ring.js';
import { openCsr, startIssuance } from '../../../../src/features/publishing/certificates/issuance.js';
import {
  createSecureContexts,
  type HostCertificate,
} from '../../../../src/features/publishing/certificates/secure-contexts.js';
import { createAuthority } from '../../../support/authority.js';

const keyRing = createKeyRing([{ id: 'test', secret: randomBytes(32) }]);

async function certificateFor(hostname: string, id: string): Promise<HostCertificate> {
  const { certify } = await createAuthority();
  const start = { id, hostname, profile: undefined, replaces: undefined };
  const issuance = await startIssuance(start, keyRing);
  return { id, pem: await certify(openCsr(issuance, keyRing), hostname), privateKey: issuance.privateKey };
}

/** Contexts over certificates that a test may exchange, and how often they were asked for. */
function contextsOver(certificates: Map<string, HostCertificate>) {
  const asked: string[] = [];
  const contexts = createSecureContexts({
    keyRing,
    certificateOf: (host) => {
      asked.push(host);
      return Promise.resolve(certificates.get(host));
    },
  });
  return { contexts, asked };
}

test('loads a certificate once, however many connections need it at once', async () => {
  const { contexts, asked } = contextsOver(new Map([['a.example', await certificateFor('a.example', '1')]]));
  const loaded = await Promise.all(Array.from({ length: 20 }, () => contexts.get('a.example', '1')));
  expect(new Set([...loaded, await contexts.get('a.example', '1')]).size).toBe(1);
  expect(asked).toEqual(['a.example']);
});

test('a new certificate of a host replaces the previous one', async () => {
  const certificates = new Map([['a.example', await certificateFor('a.example', '1')]]);
  const { contexts } = contextsOver(certificates);
  const before = await contexts.get('a.example', '1');
  certificates.set('a.example', await certificateFor('a.example', '2'));
  expect(await contexts.get('a.example', '1')).toBe(before);
  const after = await contexts.get('a.example', '2');
  expect(after).not.toBe(before);
  expect(await contexts.get('a.example', '2')).toBe(after);
});

test('a host without a certificate gets none, and an unreadable certificate is loaded again', async () => {
  const certificates = new Map<string, HostCertificate>();
  const { contexts, asked } = contextsOver(certificates);
  expect(await contexts.get('a.example', '1')).toBeUndefined();
  const sealed = await certificateFor('a.example', '1');
  certificates.set('a.example', { ...sealed, id: 'another' });
  await expect(contexts.get('a.example', '1')).rejects.toThrow('cannot be opened');
  certificates.set('a.example', sealed);
  expect(await contexts.get('a.example', '1')).toBeDefined();
  expect(asked).toHaveLength(3);
});
