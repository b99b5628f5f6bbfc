/** The domain's pet; specification 2.1–2.3. REST, GraphQL and MongoDB each have a shape of their own at their boundary. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export interface NewPet {
  name: string;
  categoryId: bigint;
  status: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
}

/**
 * What a NewPet has; a field that is not listed does not compile. A new field goes to the end: the fingerprints of
 * requests that were stored before depend on the order.
 */
export const PET_FIELDS = Object.keys({
  name: true,
  categoryId: true,
  status: true,
} satisfies Record<keyof NewPet, true>) as readonly (keyof NewPet)[];

/** `satisfies Whole<…>` on a copy that is written field by field: one that leaves out any field does not compile. */
export type Whole<T> = { [Field in keyof Required<T>]: T[Field] };

export function isPetStatus(value: unknown): value is PetStatus {
  return (PET_STATUSES as readonly unknown[]).includes(value);
}
