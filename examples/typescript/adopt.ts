/** Two people want the same animal: one reserves it, and the other learns who was first. */
import { createPetsClient, PetChanged } from 'pets-gateway-client';

const { API_KEY = '', BASE_URL = 'http://127.0.0.1:3000' } = process.env;
const pets = createPetsClient({ baseUrl: `${BASE_URL}/v1`, apiKey: API_KEY });

// Pixel is at the vet, and comes back. This is the version of Pixel that both people see.
const { id } = await pets.create({ name: 'Pixel', categoryId: 2n, status: 'pending' });
const { etag } = await pets.updatePet(id, { status: 'available' });

/** Reserves Pixel only if it is still that version. */
async function reserveFor(person: string): Promise<string> {
  try {
    const changes = { name: `Pixel, for ${person}`, status: 'pending' } as const;
    const { name } = await pets.updatePet(id, changes, { ifMatch: etag });
    return `${person} reserved "${name}"`;
  } catch (error) {
    if (!(error instanceof PetChanged)) throw error;
    return `${person} is too late: "${error.current.name}" is ${error.current.status}`;
  }
}
for (const line of await Promise.all(['Anna', 'Ben'].map(reserveFor))) console.log(line);

// Pixel moves out.
await pets.deletePet(id);
for await (const pet of pets) console.log(pet.id, pet.name, pet.status);
