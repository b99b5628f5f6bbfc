import { describeLimiterProperties } from '../contract/limiter-properties.js';
import { memoryQuotaStore, mongoQuotaStore, redisQuotaStore } from '../support/quota-stores.js';

describeLimiterProperties('memory', 500, memoryQuotaStore);
describeLimiterProperties('MongoDB', 100, mongoQuotaStore);
describeLimiterProperties('Redis', 100, redisQuotaStore);
