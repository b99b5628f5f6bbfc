import got from 'got';
import { BASE_URL, headers, pet } from './pet.mjs';

const api = got.extend({ retry: { methods: ['GET', 'POST'], maxRetryAfter: 60_000 } });

const added = await api.post(`${BASE_URL}/v1/pets`, { headers, json: pet }).json();
console.log('added', added.name);
