import { createKeyUses, KEY_USE_INTERVAL_MS, type KeyUses } from '../features/keys/key-uses.js';
import { randomBase62 } from '../lib/random-id.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Stores } from './stores.js';
import {
  createTrafficCounters,
  TRAFFIC_INTERVAL_MS,
  type TrafficCounters,
} from '../features/usage/traffic-counters.js';
import { createTrafficService, type TrafficService } from '../features/usage/traffic-service.js';
import {
  createUsageCounters,
  USAGE_INTERVAL_MS,
  USAGE_WRITTEN_WITHIN_MS,
  type UsageCounters,
} from '../features/usage/usage-counters.js';
import { createUsageService, type UsageService } from '../features/usage/usage-service.js';

/** Counts requests, traffic and key uses in batches, and reads the counts. */
export interface UsageCounting {
  keyUses: KeyUses;
  usage: UsageService;
  usageCounters: UsageCounters;
  traffic: TrafficService;
  trafficCounters: TrafficCounters;
}

export function createUsageCounting(
  { apiKeys, traffic, usage }: Pick<Stores, 'apiKeys' | 'traffic' | 'usage'>,
  log: Logger,
  clock: Clock,
): UsageCounting {
  return {
    keyUses: createKeyUses(apiKeys, KEY_USE_INTERVAL_MS, (err) =>
      log.warn({ err }, 'Could not save when keys were last used'),
    ),
    usage: createUsageService(usage, USAGE_WRITTEN_WITHIN_MS, clock),
    usageCounters: createUsageCounters({
      store: usage,
      writer: randomBase62(8),
      intervalMs: USAGE_INTERVAL_MS,
      onError: (err) => log.warn({ err }, 'Could not save usage; the gateway will retry'),
      onLost: (requests) =>
        log.warn(
          { requests },
          'Too many keys have unsaved usage; their requests are missing from usage reports',
        ),
    }),
    traffic: createTrafficService(traffic, TRAFFIC_INTERVAL_MS, clock),
    trafficCounters: createTrafficCounters({
      store: traffic,
      writer: randomBase62(8),
      intervalMs: TRAFFIC_INTERVAL_MS,
      onError: (err) => log.warn({ err }, 'Could not save traffic; the gateway will retry'),
    }),
  };
}
