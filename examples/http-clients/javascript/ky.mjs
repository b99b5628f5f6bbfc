import ky from 'ky';
import { BASE_URL, headers, pet } from './pet.mjs';

const api = ky.create({
  retry: {
    methods: ['get', 'post'],
    shouldRetry: ({ error }) => (error.response?.headers.get('Retry-After') > 60 ? false : undefined),
  },
});

const added = await api.post(`${BASE_URL}/v1/pets`, { headers, json: pet }).json();
console.log('added', added.name);
