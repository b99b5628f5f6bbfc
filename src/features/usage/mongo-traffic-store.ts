import { Schema, type Connection, type mongo } from 'mongoose';
import { DAY_MS } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import type { Batch } from './write-buffer.js';
import { addOnce, nowWith, without, type AddedOnce, type Addition } from './mongo-add-once.js';
import {
  addTraffic,
  PERIOD_MS,
  startOf,
  type PeriodTraffic,
  type TrafficCounts,
  type TrafficGroup,
  type TrafficPeriod,
} from './traffic.js';
import type { TrafficStore } from './traffic-store.js';

/** The traffic of one minute, hour or day of all gateways. */
interface TrafficDocument extends AddedOnce {
  startsAt: Date;
  /** By interface and source: `rest free`. */
  groups?: Record<string, Record<keyof TrafficCounts, number | bigint>>;
  bans: number;
  /** The end of a day; retention counts from here. Set for days. */
  endsAt?: Date;
  /** Set for minutes and hours. */
  expiresAt?: Date;
}

const schema = new Schema<TrafficDocument>(
  {
    _id: String,
    startsAt: { type: Date, required: true },
    groups: Schema.Types.Mixed,
    bans: Number,
    writers: Schema.Types.Mixed,
    endsAt: Date,
    expiresAt: Date,
  },
  { versionKey: false },
);
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const trafficCollection = collectionShape('traffic', schema);

/** How long minutes and hours are kept after their start. Days are kept as long as usage. */
const KEPT_MS: Record<Exclude<TrafficPeriod, 'day'>, number> = { minute: DAY_MS, hour: 30 * DAY_MS };
const PERIODS = Object.keys(PERIOD_MS) as TrafficPeriod[];
/** Limits each query's time. */
const MAX_READ_MS = 5000;

export function createMongoTrafficStore(connection: Connection): TrafficStore {
  const model = connection.model<TrafficDocument>('Traffic', schema, trafficCollection.name);
  const collection = model.collection as unknown as mongo.Collection<TrafficDocument>;
  return {
    async add({ minutes, ...batch }) {
      const sums = PERIODS.flatMap((period) =>
        sumsBy(period, minutes).map((traffic) => ({ period, traffic })),
      );
      await addOnce(collection, sums, ({ period, traffic }) => additionOf(period, traffic, batch));
    },
    async periods(period, startsMs) {
      const found = await collection
        .find({ _id: { $in: startsMs.map((startMs) => idOf(period, startMs)) } }, { maxTimeMS: MAX_READ_MS })
        .toArray();
      return found.map(toTraffic);
    },
  };
}

function sumsBy(period: TrafficPeriod, minutes: readonly PeriodTraffic[]): PeriodTraffic[] {
  const sums = new Map<number, PeriodTraffic>();
  for (const minute of minutes) {
    const startMs = startOf(period, minute.startMs);
    let sum = sums.get(startMs);
    if (sum === undefined) sums.set(startMs, (sum = { startMs, groups: [], bans: 0 }));
    addTraffic(sum, minute);
  }
  return [...sums.values()];
}

function additionOf(
  period: TrafficPeriod,
  { startMs, groups, bans }: PeriodTraffic,
  batch: Batch,
): Addition<TrafficDocument> {
  const counts = groups.flatMap(({ interface: apiInterface, source, ...of }) =>
    Object.entries(of).map(([name, count]): [string, number] => [
      `groups.${apiInterface} ${source}.${name}`,
      count,
    ]),
  );
  const end =
    period === 'day'
      ? { endsAt: new Date(startMs + PERIOD_MS.day) }
      : { expiresAt: new Date(startMs + KEPT_MS[period]) };
  return {
    filter: { _id: idOf(period, startMs), ...without(batch) },
    update: {
      $setOnInsert: { startsAt: new Date(startMs), ...end },
      $set: nowWith(batch),
      $inc: { ...Object.fromEntries(counts), bans },
    },
    upsert: true,
  };
}

function idOf(period: TrafficPeriod, startMs: number): string {
  return `${period} ${new Date(startMs).toISOString()}`;
}

function toTraffic({ startsAt, groups = {}, bans }: TrafficDocument): PeriodTraffic {
  return {
    startMs: startsAt.getTime(),
    bans,
    groups: Object.entries(groups).map(([name, counts]) => {
      const [apiInterface, source] = name.split(' ');
      return {
        interface: apiInterface as TrafficGroup['interface'],
        source: source as TrafficGroup['source'],
        requests: Number(counts.requests),
        clientErrors: Number(counts.clientErrors),
        refused: Number(counts.refused),
        serverErrors: Number(counts.serverErrors),
      };
    }),
  };
}
