import type { Pet } from '../../features/pets/pet.js';

/** Writes the digits of integers straight into the JSON: a JavaScript number would lose digits past 2^53. */
export function renderPet({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

export function renderPets(pets: readonly Pet[]): string {
  return `[${pets.map(renderPet).join(',')}]`;
}
