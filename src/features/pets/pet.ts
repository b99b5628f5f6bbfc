/** The pet of the domain. REST, GraphQL and MongoDB convert it to their own shapes. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export interface NewPet {
  name: string;
  categoryId: bigint;
  status: PetStatus;
}

export interface Pet extends NewPet {
  id: bigint;
  /** The project that the pet belongs to. Absent: none. */
  projectId?: string | undefined;
  /** The project's own number of the pet, unique in the project. */
  externalId?: string | undefined;
  /** When the pet was added, by the gateway's clock. */
  createdAt: Date;
}

/**
 * The fields of a NewPet. A field missing here is a compile error. Add new fields at the end: stored request
 * fingerprints depend on the order.
 */
export const PET_FIELDS = Object.keys({
  name: true,
  categoryId: true,
  status: true,
} satisfies Record<keyof NewPet, true>) as readonly (keyof NewPet)[];

/** `satisfies Whole<…>` checks a copy written field by field: a missing field is a compile error. */
export type Whole<T> = { [Field in keyof Required<T>]: T[Field] };

/** The fields of a NewPet, of anything that has more. */
export function fieldsOf({ name, categoryId, status }: NewPet): NewPet {
  return { name, categoryId, status } satisfies Whole<NewPet>;
}

/** The same for JSON. Integers are texts: a program's numbers may lose digits past 2^53. */
export function plainFieldsOf(pet: NewPet): Record<keyof NewPet, string> {
  const plain = PET_FIELDS.map((field) => {
    const value = pet[field];
    return [field, typeof value === 'bigint' ? String(value) : value];
  });
  return Object.fromEntries(plain) as Record<keyof NewPet, string>;
}

/** Whether two pets have the same fields of a NewPet. */
export function isSamePet(a: NewPet, b: NewPet): boolean {
  return PET_FIELDS.every((field) => a[field] === b[field]);
}

export function isPetStatus(value: unknown): value is PetStatus {
  return (PET_STATUSES as readonly unknown[]).includes(value);
}
