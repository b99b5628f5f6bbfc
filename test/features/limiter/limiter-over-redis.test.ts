import { describeLimiter } from '../../contract/limiter.js';
import { redisCounters } from '../../support/redis-counters.js';

describeLimiter('Redis', redisCounters);
