import { describeLimiter } from '../../contract/limiter.js';
import { memoryCounters } from '../../support/counters.js';

describeLimiter('memory', memoryCounters);
