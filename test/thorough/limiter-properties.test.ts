import { describeLimiterProperties, WITH_LEASES } from '../contract/limiter-properties.js';
import { memoryQuotaStore, mongoQuotaStore, redisQuotaStore } from '../support/quota-stores.js';

describeLimiterProperties('memory', 500, memoryQuotaStore);
describeLimiterProperties('MongoDB', 100, mongoQuotaStore);
describeLimiterProperties('Redis', 100, redisQuotaStore);
describeLimiterProperties('memory, with leases', 500, memoryQuotaStore, WITH_LEASES);
describeLimiterProperties('MongoDB, with leases', 100, mongoQuotaStore, WITH_LEASES);
describeLimiterProperties('Redis, with leases', 100, redisQuotaStore, WITH_LEASES);
