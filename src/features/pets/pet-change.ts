import { PET_FIELDS, type NewPet, type Pet } from './pet.js';

/** The fields to change; the others stay. */
export type PetChanges = Partial<NewPet>;

/** What a change or removal requires of the pet as it is. */
export interface PetCondition {
  /** The pet belongs to this project. Absent: to any project, or to none. */
  projectId?: string | undefined;
  /** These fields have exactly these values. */
  ifPet?: Partial<NewPet> | undefined;
  /** Accepts the pet. Depends on the id and the fields of NewPet only. */
  ifMatch?: ((pet: Pet) => boolean) | undefined;
}

export interface ChangeOutcome {
  isDone: boolean;
  /** If done, the pet before the change; else the pet that does not meet the condition. Undefined: there is none. */
  pet: Pet | undefined;
}

export function meets(pet: Pet, { projectId, ifPet = {}, ifMatch }: PetCondition): boolean {
  const isOwn = projectId === undefined || pet.projectId === projectId;
  const isSame = PET_FIELDS.every((field) => ifPet[field] === undefined || ifPet[field] === pet[field]);
  return isOwn && isSame && (ifMatch === undefined || ifMatch(pet));
}
