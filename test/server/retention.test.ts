import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { applyRetention } from '../../src/server/retention.js';
import { prepared } from '../support/prepared.js';
import { rawDatabase } from '../support/raw-database.js';
import { daysKept } from '../platform/mongo/days-kept.js';

let raw: Connection;
beforeAll(async () => {
  raw = await prepared(await rawDatabase({ databaseName: `test-${randomUUID()}` }));
});
afterAll(async () => {
  await raw.dropDatabase();
  await raw.close();
});

const apply = (auditRetentionDays: number) =>
  applyRetention(raw, { auditRetentionDays, usageRetentionDays: 400 });

test('a changed retention applies to existing data; 0 keeps it permanently, and two concurrent starts agree', async () => {
  for (const days of [730, 30, 0, 0, 90]) {
    await Promise.all([apply(days), apply(days)]);
    expect(await daysKept(raw, 'audit')).toEqual(days === 0 ? [] : [['at', days]]);
  }
  expect(await daysKept(raw, 'usage')).toEqual([['endsAt', 400]]);
});
