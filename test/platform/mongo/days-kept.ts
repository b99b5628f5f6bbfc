import type { Connection } from 'mongoose';

const DAY_SECONDS = 86_400;

/** After how many days MongoDB removes what is in a collection, by the field that it counts from. */
export async function daysKept(raw: Connection, collection: string): Promise<[string, number][]> {
  const indexes = (await raw.collection(collection).indexes()) as {
    key: Record<string, 1>;
    expireAfterSeconds?: number;
  }[];
  return indexes.flatMap(({ key, expireAfterSeconds }): [string, number][] =>
    expireAfterSeconds === undefined ? [] : [[Object.keys(key).join(), expireAfterSeconds / DAY_SECONDS]],
  );
}
