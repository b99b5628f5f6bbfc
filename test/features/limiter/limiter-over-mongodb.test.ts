import { describeLimiter } from '../../contract/limiter.js';
import { mongoCounters } from '../../support/counters.js';

describeLimiter('MongoDB', mongoCounters);
