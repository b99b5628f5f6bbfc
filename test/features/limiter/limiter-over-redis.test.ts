import { describeLimiter } from '../../contract/limiter.js';
import { redisQuotaStore } from '../../support/quota-stores.js';

describeLimiter('Redis', redisQuotaStore);
