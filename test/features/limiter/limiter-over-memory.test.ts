import { describeLimiter } from '../../contract/limiter.js';
import { memoryQuotaStore } from '../../support/quota-stores.js';

describeLimiter('memory', memoryQuotaStore);
