/** The TXT record that proves the ownership of a name. */
export interface OwnershipRecord {
  name: string;
  value: string;
}

/**
 * Returns the record `_pets-gateway.<name>` with the value `pets-gateway=<token>`. It has a name of its own, as RFC
 * 8552 recommends, because a TXT record cannot share a name with a CNAME record.
 */
export function ownershipRecord(name: string, token: string): OwnershipRecord {
  return { name: `${OWNERSHIP_LABEL}.${name}`, value: `pets-gateway=${token}` };
}

export const OWNERSHIP_LABEL = '_pets-gateway';
