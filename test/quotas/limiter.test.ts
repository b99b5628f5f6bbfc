import { describeLimiter } from '../contract/limiter.js';
import { memoryCounters, mongoCounters } from '../support/counters.js';

describeLimiter('memory', memoryCounters);
describeLimiter('MongoDB', mongoCounters);
