import { describeKilled } from '../contract/killed.js';

// The other two: test/thorough/killed.
describeKilled(['mongod']);
