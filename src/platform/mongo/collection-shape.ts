import type { mongo, Schema } from 'mongoose';

/** A collection and the indexes that this version needs. Other indexes stay. */
export interface CollectionShape {
  name: string;
  indexes: readonly WantedIndex[];
}

export interface WantedIndex {
  name: string;
  key: Record<string, 1 | -1>;
  unique?: boolean;
  sparse?: boolean;
  expireAfterSeconds?: number;
  partialFilterExpression?: mongo.Document;
}

export function collectionShape(name: string, schema: Schema): CollectionShape {
  const indexes = schema.indexes() as [WantedIndex['key'], Partial<WantedIndex>][];
  return { name, indexes: indexes.map(([key, options]) => wantedIndex(key, options)) };
}

export function wantedIndex(key: WantedIndex['key'], options: Partial<WantedIndex> = {}): WantedIndex {
  const { name = defaultName(key), unique, sparse, expireAfterSeconds, partialFilterExpression } = options;
  return {
    name,
    key,
    ...(unique === true && { unique }),
    ...(sparse === true && { sparse }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
    ...(partialFilterExpression !== undefined && { partialFilterExpression }),
  };
}

/** The default index name of the driver. */
function defaultName(key: WantedIndex['key']): string {
  return Object.entries(key).flat().join('_');
}
