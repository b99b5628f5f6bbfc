import { Agent, request, RetryAgent } from 'undici';
import { BASE_URL, headers, pet } from './pet.mjs';

const dispatcher = new RetryAgent(new Agent(), {
  methods: ['GET', 'POST'],
  retry(error, { state, opts: { method, retryOptions } }, done) {
    const seconds = error.headers?.['retry-after'] ?? 2 ** state.counter;
    const gaveUp = state.counter > 3 || seconds > 60 || !retryOptions.methods.includes(method);
    if (gaveUp) done(error);
    else setTimeout(() => done(null), seconds * 1000);
  },
});

const { body } = await request(`${BASE_URL}/v1/pets`, {
  dispatcher,
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json' },
  body: JSON.stringify(pet),
});
console.log('added', (await body.json()).name);
