import { describeReadme } from '../contract/readme.js';

describeReadme('the README, pasted from top to bottom into a fresh clone with an empty cache', {
  command: 'npm install && npm start',
  prepare: (clone) => Promise.resolve({ CACHE_DIR: `${clone}-cache` }),
});
