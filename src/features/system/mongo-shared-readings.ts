import type { Connection } from 'mongoose';

/** Results of costly queries that all gateways on one database share. */
export interface SharedReadings {
  /**
   * Returns the stored result of this name if it is at most `maxAgeMs` old. Otherwise calls `read`, and stores its result
   * if `isWhole`. Two gateways that find no result at the same time both read. Without MongoDB's answer, only `read`
   * decides.
   * @param read resolves with a value that JSON can represent
   */
  get<T>(name: string, { maxAgeMs, nowMs, read, isWhole }: Reading<T>): Promise<T>;
}

interface Reading<T> {
  maxAgeMs: number;
  /** On the gateway's clock. A result from a gateway with another clock may count as old, but not as new for longer. */
  nowMs: number;
  read: () => Promise<T>;
  isWhole: (result: T) => boolean;
}

interface ReadingDocument {
  _id: string;
  /** When the read began. */
  at: Date;
  json: string;
}

const MAX_WAIT_MS = 1000;

export function createMongoSharedReadings(connection: Connection): SharedReadings {
  const collection = connection.collection<ReadingDocument>('readings');
  return {
    async get<T>(name: string, { maxAgeMs, nowMs, read, isWhole }: Reading<T>) {
      const stored = await collection
        .findOne({ _id: name }, { maxTimeMS: MAX_WAIT_MS })
        .catch(() => undefined);
      // A clock may be set back.
      if (stored != null && Math.abs(nowMs - stored.at.getTime()) < maxAgeMs)
        return JSON.parse(stored.json) as T;
      const result = await read();
      if (isWhole(result))
        await collection
          .updateOne(
            { _id: name },
            { $set: { at: new Date(nowMs), json: JSON.stringify(result) } },
            { upsert: true, writeConcern: { w: 1 }, maxTimeMS: MAX_WAIT_MS },
          )
          .catch(() => undefined);
      return result;
    },
  };
}
