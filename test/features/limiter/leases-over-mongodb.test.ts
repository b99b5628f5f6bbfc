import { describeLeases } from '../../contract/leases.js';
import { mongoCounters } from '../../support/counters.js';

describeLeases('MongoDB', mongoCounters);
