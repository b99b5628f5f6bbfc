import { describeLeases } from '../../contract/leases.js';
import { redisCounters } from '../../support/redis-counters.js';

describeLeases('Redis', redisCounters);
