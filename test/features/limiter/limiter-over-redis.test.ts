import { describeLimiter } from '../../contract/limiter.js';
import { redisClusterQuotaStore, redisQuotaStore } from '../../support/quota-stores.js';

describeLimiter('Redis', redisQuotaStore);
describeLimiter('a Redis Cluster', redisClusterQuotaStore);
