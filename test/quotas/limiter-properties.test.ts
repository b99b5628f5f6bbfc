import { describeLimiterProperties } from '../contract/limiter-properties.js';
import { memoryCounters, mongoCounters } from '../support/counters.js';

describeLimiterProperties('memory', 200, memoryCounters);
describeLimiterProperties('MongoDB', 25, mongoCounters);
