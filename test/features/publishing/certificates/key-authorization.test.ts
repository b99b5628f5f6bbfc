import {
  generateAccountKey,
  readAccountKey,
} from '../../../../src/features/publishing/certificates/account-key.js';
import { keyAuthorization } from '../../../../src/features/publishing/certificates/key-authorization.js';

describe('the answer to an http-01 challenge', () => {
  const account = readAccountKey(generateAccountKey());
  const token = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA';

  it('is the token and the thumbprint of the account key', () => {
    expect(keyAuthorization(token, account)).toBe(`${token}.${account.thumbprint}`);
    expect(account.thumbprint).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each([
    '',
    'short',
    'x'.repeat(21),
    'x'.repeat(257),
    `${token}=`,
    `${token}/`,
    `../${token}`,
    `${token}%2e`,
    `<script>${token}`,
    `${token}\n`,
    `${token}.${token}`,
  ])('does not exist for %j, which no CA can have created', (other) => {
    expect(keyAuthorization(other, account)).toBeUndefined();
  });
});

describe('an account key', () => {
  it('is the same account wherever it is read', () => {
    const stored = generateAccountKey();
    expect(readAccountKey(stored).thumbprint).toBe(readAccountKey(stored).thumbprint);
    expect(readAccountKey(generateAccountKey()).thumbprint).not.toBe(readAccountKey(stored).thumbprint);
  });
});
