import { describeLimiterProperties } from '../../contract/limiter-properties.js';
import { memoryCounters, mongoCounters } from '../../support/counters.js';
import { redisCounters } from '../../support/redis-counters.js';

// Many more: test/thorough.
describeLimiterProperties('memory', 40, memoryCounters);
describeLimiterProperties('MongoDB', 10, mongoCounters);
describeLimiterProperties('Redis', 10, redisCounters);
