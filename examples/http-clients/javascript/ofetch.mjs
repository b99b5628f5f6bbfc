import { createFetch } from 'ofetch';
import { patientFetch } from './patient-fetch.mjs';
import { BASE_URL, headers, pet } from './pet.mjs';

const ofetch = createFetch({ fetch: patientFetch, defaults: { retry: 0 } });

const added = await ofetch(`${BASE_URL}/v1/pets`, { method: 'POST', headers, body: pet });
console.log('added', added.name);
