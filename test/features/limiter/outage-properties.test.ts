import { describeOutageInTime } from '../../contract/outage-in-time.js';
import { describeOutageProperties } from '../../contract/outage-properties.js';

describeOutageProperties(50);
describeOutageInTime(50);
