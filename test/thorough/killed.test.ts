import { describeKilled } from '../contract/killed.js';

// The one that is left out: test/e2e/killed.
describeKilled(['the gateway', 'both']);
