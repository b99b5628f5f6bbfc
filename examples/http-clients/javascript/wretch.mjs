import wretch from 'wretch';
import { patientFetch } from './patient-fetch.mjs';
import { BASE_URL, headers, pet } from './pet.mjs';

const api = wretch(BASE_URL).polyfills({ fetch: patientFetch });

const added = await api.headers(headers).url('/v1/pets').post(pet).json();
console.log('added', added.name);
