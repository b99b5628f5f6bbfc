import axios from 'axios';
import axiosRetry, { isRetryableError } from 'axios-retry';
import { BASE_URL, headers, pet } from './pet.mjs';

axiosRetry(axios, {
  retryCondition: (error) => isRetryableError(error) && !(error.response?.headers['retry-after'] > 60),
});

const { data: added } = await axios.post(`${BASE_URL}/v1/pets`, pet, { headers });
console.log('added', added.name);
