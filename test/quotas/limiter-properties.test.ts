import { describeLimiterProperties } from '../contract/limiter-properties.js';
import { memoryCounters, mongoCounters } from '../support/counters.js';
import { redisCounters } from '../support/redis-counters.js';

describeLimiterProperties('memory', 200, memoryCounters);
describeLimiterProperties('MongoDB', 25, mongoCounters);
describeLimiterProperties('Redis', 25, redisCounters);
