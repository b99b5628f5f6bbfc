import type { Connection } from 'mongoose';
import { auditCollection } from '../features/audit/mongo-audit-store.js';
import { trafficCollection } from '../features/usage/mongo-traffic-store.js';
import { usageCollection } from '../features/usage/mongo-usage-store.js';
import { keepFor } from '../platform/mongo/keep-for.js';

export interface Retention {
  /** 0: forever. */
  auditRetentionDays: number;
  usageRetentionDays: number;
}

/**
 * Applies the retention settings. Only for a gateway that serves: a command may run without the settings, and removed
 * documents cannot be restored.
 */
export async function applyRetention(connection: Connection, retention: Retention): Promise<void> {
  const { auditRetentionDays, usageRetentionDays } = retention;
  await keepFor(connection, { collection: auditCollection.name, field: 'at', days: auditRetentionDays });
  for (const { name } of [usageCollection, trafficCollection])
    await keepFor(connection, { collection: name, field: 'endsAt', days: usageRetentionDays });
}
