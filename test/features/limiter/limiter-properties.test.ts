import { describeLimiterProperties } from '../../contract/limiter-properties.js';
import { memoryQuotaStore, mongoQuotaStore, redisQuotaStore } from '../../support/quota-stores.js';

// Many more: test/thorough.
describeLimiterProperties('memory', 40, memoryQuotaStore);
describeLimiterProperties('MongoDB', 10, mongoQuotaStore);
describeLimiterProperties('Redis', 10, redisQuotaStore);
