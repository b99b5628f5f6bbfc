import type { Connection } from 'mongoose';
import { auditCollection } from '../features/audit/mongo-audit-store.js';
import { usageCollection } from '../features/usage/mongo-usage-store.js';
import { keepFor } from '../platform/mongo/keep-for.js';

export interface Retention {
  /** 0: for good. */
  auditRetentionDays: number;
  usageRetentionDays: number;
}

/** For a gateway that serves, not for a command: that may be run without the settings, and what ends is gone. */
export async function applyRetention(connection: Connection, retention: Retention): Promise<void> {
  const { auditRetentionDays, usageRetentionDays } = retention;
  await keepFor(connection, { collection: auditCollection.name, field: 'at', days: auditRetentionDays });
  await keepFor(connection, { collection: usageCollection.name, field: 'endsAt', days: usageRetentionDays });
}
