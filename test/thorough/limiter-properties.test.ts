import { describeLimiterProperties } from '../contract/limiter-properties.js';
import { memoryCounters, mongoCounters } from '../support/counters.js';
import { redisCounters } from '../support/redis-counters.js';

describeLimiterProperties('memory', 500, memoryCounters);
describeLimiterProperties('MongoDB', 100, mongoCounters);
describeLimiterProperties('Redis', 100, redisCounters);
