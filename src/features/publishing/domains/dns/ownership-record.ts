/** The TXT record by which the owner of a name proves to be that. */
export interface OwnershipRecord {
  name: string;
  value: string;
}

/**
 * `_pets-gateway.<name>` with the value `pets-gateway=<token>`: a name of its own, as RFC 8552 wants it, since a
 * CNAME record suffers no TXT record beside it.
 */
export function ownershipRecord(name: string, token: string): OwnershipRecord {
  return { name: `${OWNERSHIP_LABEL}.${name}`, value: `pets-gateway=${token}` };
}

export const OWNERSHIP_LABEL = '_pets-gateway';
