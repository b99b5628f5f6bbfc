import { patientFetch } from './patient-fetch.mjs';
import { BASE_URL, headers, pet } from './pet.mjs';

const response = await patientFetch(`${BASE_URL}/v1/pets`, {
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(pet),
});
if (!response.ok) throw new Error(await response.text());
console.log('added', (await response.json()).name);
