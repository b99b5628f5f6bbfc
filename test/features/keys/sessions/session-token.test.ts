import {
  createToken,
  csrfTokenOf,
  hashToken,
  isCsrfTokenOf,
  openHash,
  sealHash,
} from '../../../../src/features/keys/sessions/session-token.js';

const token = 'A'.repeat(43);

test('the CSRF token is that of this session only', () => {
  const csrf = csrfTokenOf(token);
  expect(isCsrfTokenOf(token, csrf)).toBe(true);
  for (const other of ['', csrfTokenOf(createToken()), `${csrf}x`, csrf.slice(0, -1)])
    expect(isCsrfTokenOf(token, other)).toBe(false);
});

test('a seal opens with its own token only, and only if nobody changed it', () => {
  const sealed = sealHash('hash', token);
  expect(openHash(sealed, token)).toBe('hash');
  expect(sealHash('hash', token)).not.toBe(sealed);
  expect(() => openHash(sealed, createToken())).toThrow();
  const bytes = Buffer.from(sealed, 'base64url');
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(() => openHash(bytes.toString('base64url'), token)).toThrow();
});

test('sessions outlive an upgrade: the forms are those of earlier versions', () => {
  expect(csrfTokenOf(token)).toBe('So0WMBvm43rCjhmWj0HI7NPIUkusIQqm4EAHfQmEYf0');
  expect(hashToken(token)).toBe('DwBzhbb51LfusnSGBa_hqYSgo7-j8BTQnip4TOnlzRo');
  expect(openHash('O_bX1GD21HrNxXO-wwa8BOejjrSt_BGpZ5beq31k-y8', token)).toBe('hash');
});
