import { describeLimiter } from '../contract/limiter.js';
import { memoryCounters, mongoCounters } from '../support/counters.js';
import { redisCounters } from '../support/redis-counters.js';

describeLimiter('memory', memoryCounters);
describeLimiter('MongoDB', mongoCounters);
describeLimiter('Redis', redisCounters);
