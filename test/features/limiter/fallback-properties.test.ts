import { describeFallbackInTime } from '../../contract/fallback-in-time.js';
import { describeFallbackProperties } from '../../contract/fallback-properties.js';

describeFallbackProperties(50);
describeFallbackInTime(50);
