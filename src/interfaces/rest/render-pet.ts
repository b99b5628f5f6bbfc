import type { NewPet, Pet } from '../../features/pets/pet.js';

/** The fields of the specification. */
type RestPet = NewPet & Pick<Pet, 'id'>;

/** Writes the digits of integers straight into the JSON: a JavaScript number would lose digits past 2^53. */
export function renderPet({ id, name, categoryId, status }: RestPet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

export function renderPets(pets: readonly Pet[]): string {
  return `[${pets.map(renderPet).join(',')}]`;
}
