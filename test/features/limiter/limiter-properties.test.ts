import { describeLimiterProperties, WITH_LEASES } from '../../contract/limiter-properties.js';
import { memoryQuotaStore, mongoQuotaStore, redisQuotaStore } from '../../support/quota-stores.js';

// Many more: test/thorough.
describeLimiterProperties('memory', 40, memoryQuotaStore);
describeLimiterProperties('MongoDB', 10, mongoQuotaStore);
describeLimiterProperties('Redis', 10, redisQuotaStore);
describeLimiterProperties('memory, with leases', 40, memoryQuotaStore, WITH_LEASES);
describeLimiterProperties('MongoDB, with leases', 10, mongoQuotaStore, WITH_LEASES);
describeLimiterProperties('Redis, with leases', 10, redisQuotaStore, WITH_LEASES);
