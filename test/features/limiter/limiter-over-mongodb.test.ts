import { describeLimiter } from '../../contract/limiter.js';
import { mongoQuotaStore } from '../../support/quota-stores.js';

describeLimiter('MongoDB', mongoQuotaStore);
