import type { mongo } from 'mongoose';
import { INT64_MAX, INT64_MIN } from '../../lib/int64.js';
import { wantedIndex, type WantedIndex } from '../../platform/mongo/collection-shape.js';
import type { PetPlace } from './cursor.js';
import { FIELDS, type PetDocument } from './mongo-pet-document.js';
import { containing } from './name-search.js';
import { MAX_COUNTED, type PetOrder, type PetsFilter, type PetsQuery } from './page.js';
import { PET_STATUSES } from './pet.js';

type Filter = mongo.Filter<PetDocument>;
type Conditions = Record<string, unknown>;

/** The indexes of lists. See README.md for what each is for. */
export const READ_INDEXES = {
  status: wantedIndex({ status: 1, _id: 1 }),
  project: wantedIndex({ projectId: 1, status: 1, _id: 1 }),
  projectNewest: wantedIndex({ projectId: 1, status: 1, createdAt: -1, _id: -1 }),
  newest: wantedIndex({ status: 1, createdAt: -1, _id: -1 }),
  category: wantedIndex({ categoryId: 1, _id: 1 }),
  search: wantedIndex({ search: 1 }),
  ownNumber: wantedIndex(
    { projectId: 1, externalId: 1 },
    { unique: true, partialFilterExpression: { externalId: { $exists: true } } },
  ),
} satisfies Record<string, WantedIndex>;

/** Most pages are found in the first window, of a tenth of the pets that may be examined. */
const FIRST_WINDOW = 0.1;
const ANY_STATUS = { $in: [...PET_STATUSES] };

/** Where a list is read: pets in the order of an index, which conditions besides then select from. */
export interface Scope {
  /** Undefined for the index of ids. */
  hint: string | undefined;
  /** The conditions that the index decides. */
  within: Conditions;
  /** Conditions on each pet that is read; none: each is on the page. */
  besides: Conditions;
}

/** @returns documents in the order of the list */
export interface DocumentsPage {
  documents: PetDocument[];
  hasMore: boolean;
  end?: PetPlace;
}

export interface PetsReads {
  list(query: PetsQuery): Promise<DocumentsPage>;
  /** Undefined for more than MAX_COUNTED, and if more than MAX_EXAMINED pets had to be examined one by one. */
  count(filter: PetsFilter): Promise<number | undefined>;
}

/** @param maxExamined MAX_EXAMINED; less in tests that have few pets */
export function createPetsReads(pets: mongo.Collection<PetDocument>, maxExamined: number): PetsReads {
  const windows = [Math.ceil(maxExamined * FIRST_WINDOW), maxExamined];

  function read(filter: Conditions, hint: string | undefined, query: PetsQuery, limit: number) {
    return pets
      .find(filter as Filter, {
        sort: sortOf(query),
        limit,
        ...(hint !== undefined && { hint }),
        projection: FIELDS,
        // Fetches a page in one batch.
        batchSize: limit + 1,
      })
      .toArray();
  }

  async function isFew(source: Scope): Promise<boolean> {
    return (await countUpTo(source.within, source.hint, maxExamined + 1)) <= maxExamined;
  }

  function countUpTo(filter: Conditions, hint: string | undefined, limit: number): Promise<number> {
    return pets.countDocuments(filter, { limit, hint: hint ?? '_id_' });
  }

  /** All parts of a list, one after the other, in the order of an index. */
  async function walk(scope: Scope, query: PetsQuery): Promise<DocumentsPage> {
    const wanted = query.limit + 1;
    const documents: PetDocument[] = [];
    for (const part of partsAfter(query)) {
      const missing = wanted - documents.length;
      if (Object.keys(scope.besides).length === 0)
        documents.push(...(await read({ ...scope.within, ...part }, scope.hint, query, missing)));
      else {
        const { found, end } = await readWindows(scope, part, query, missing);
        documents.push(...found);
        if (end !== undefined && documents.length < wanted) return { documents, hasMore: true, end };
      }
      if (documents.length >= wanted) break;
    }
    return pageOf(documents, query.limit);
  }

  /** Reads a part of a list in windows of a bounded number of pets. `end`: where the last window ends. */
  async function readWindows(
    { hint, within, besides }: Scope,
    part: Conditions,
    query: PetsQuery,
    limit: number,
  ): Promise<{ found: PetDocument[]; end?: PetPlace }> {
    let last: { found: PetDocument[]; end?: PetPlace } = { found: [] };
    for (const size of windows) {
      const [edge] = await pets
        .find({ ...within, ...part } as Filter, {
          sort: sortOf(query),
          skip: size - 1,
          limit: 1,
          ...(hint !== undefined && { hint }),
          projection: isNewest(query) ? { createdAt: 1 } : { _id: 1 },
        })
        .toArray();
      const window = edge === undefined ? part : upTo(part, edge, query);
      const found = await read({ ...within, ...window, $and: [besides] }, hint, query, limit);
      if (edge === undefined || found.length >= limit) return { found };
      last = { found, end: placeAfter(part, edge, query) };
    }
    return last;
  }

  return {
    async list(query) {
      const scope = scopeOf(query);
      const sources = sourcesOf(query, scope);
      const collect = async (): Promise<DocumentsPage | undefined> => {
        for (const source of sources)
          if (await isFew(source)) {
            const filter = { ...source.within, $and: [source.besides, { $or: partsAfter(query) }] };
            return pageOf(await read(filter, source.hint, query, query.limit + 1), query.limit);
          }
        return undefined;
      };
      // Most projects have fewer pets than a walk may examine; the whole catalogue has more.
      if (query.projectId === undefined) return (await collect()) ?? walk(scope, query);
      const page = await walk(scope, query);
      return page.end === undefined ? page : ((await collect()) ?? page);
    },

    async count(filter) {
      const scope = scopeOf(filter);
      const { within, hint, besides } = scope;
      if (Object.keys(besides).length === 0) {
        const counted = await countUpTo(within, hint, MAX_COUNTED + 1);
        return counted > MAX_COUNTED ? undefined : counted;
      }
      const others = sourcesOf(filter, scope);
      for (const source of filter.projectId === undefined ? [...others, scope] : [scope, ...others])
        if (await isFew(source))
          return countUpTo({ ...source.within, $and: [source.besides] }, source.hint, maxExamined);
      return undefined;
    },
  };
}

/** Chooses the index that has the list in its order, by the condition that leaves fewest pets. */
export function scopeOf(filter: PetsFilter & { orderBy?: PetOrder }): Scope {
  const { projectId, externalId, categoryId, nameContains, status } = filter;
  const search = nameContains === undefined ? {} : { ...containing(nameContains) };
  const category = categoryId === undefined ? {} : { categoryId };
  const ofStatus = status === undefined ? {} : { status };
  const anyStatus = { status: status ?? ANY_STATUS };
  const newest = isNewest(filter);
  if (externalId !== undefined)
    return {
      hint: READ_INDEXES.ownNumber.name,
      // Pets of no project have no number.
      within: { projectId: projectId ?? null, externalId },
      besides: { ...category, ...ofStatus, ...search },
    };
  if (projectId !== undefined)
    return {
      hint: newest ? READ_INDEXES.projectNewest.name : READ_INDEXES.project.name,
      within: { projectId, ...anyStatus },
      besides: { ...category, ...search },
    };
  if (newest)
    return {
      hint: READ_INDEXES.newest.name,
      within: anyStatus,
      besides: { ...category, ...search },
    };
  if (categoryId !== undefined)
    return { hint: READ_INDEXES.category.name, within: category, besides: { ...ofStatus, ...search } };
  if (status !== undefined) return { hint: READ_INDEXES.status.name, within: ofStatus, besides: search };
  // Named: for a text, MongoDB could choose the index of texts and sort all that it finds.
  return { hint: '_id_', within: {}, besides: search };
}

/** Other indexes that may leave few pets, which are then read whole and sorted. */
function sourcesOf(filter: PetsFilter, { besides }: Scope): Scope[] {
  const { projectId, externalId, categoryId, nameContains, status } = filter;
  // At most one pet has a number.
  if (externalId !== undefined) return [];
  const owned = { ...(projectId !== undefined && { projectId }), ...(status !== undefined && { status }) };
  const category = categoryId === undefined ? {} : { categoryId };
  const sources: Scope[] = [];
  if (nameContains !== undefined) {
    const { search, ...exactly } = containing(nameContains);
    sources.push({
      hint: READ_INDEXES.search.name,
      within: { search },
      besides: { ...owned, ...category, ...exactly },
    });
  }
  if ('categoryId' in besides) {
    const search = nameContains === undefined ? {} : { ...containing(nameContains) };
    sources.push({ hint: READ_INDEXES.category.name, within: category, besides: { ...owned, ...search } });
  }
  return sources;
}

function isNewest({ orderBy }: { orderBy?: PetOrder }): boolean {
  return orderBy === 'newest';
}

function directionOf(query: PetsQuery): 1 | -1 {
  return isNewest(query) === (query.isBackward === true) ? 1 : -1;
}

export function sortOf(query: PetsQuery): Record<string, 1 | -1> {
  // The index of numbers has no order of lists, and finds at most one pet.
  if (query.externalId !== undefined) return {};
  const direction = directionOf(query);
  return isNewest(query) ? { createdAt: direction, _id: direction } : { _id: direction };
}

/**
 * Returns the parts of the list after the query's place, to be read one after the other. By `newest` these are the pets
 * of the same millisecond, then the others: in a single query, MongoDB would read all of the same millisecond again.
 */
export function partsAfter(query: PetsQuery): Conditions[] {
  const { afterId, afterTime } = query;
  if (afterId === undefined) return [{}];
  const beyond = directionOf(query) === 1 ? '$gt' : '$lt';
  if (afterTime === undefined) return [{ _id: { [beyond]: afterId } }];
  return [{ createdAt: afterTime, _id: { [beyond]: afterId } }, { createdAt: { [beyond]: afterTime } }];
}

/** The part of a list up to the pet at its edge, and by `newest` up to the end of its millisecond. */
function upTo(part: Conditions, edge: PetDocument, query: PetsQuery): Conditions {
  const field = isByTime(part, query) ? 'createdAt' : '_id';
  const bound = directionOf(query) === 1 ? '$lte' : '$gte';
  return { ...part, [field]: { ...(part[field] as Conditions | undefined), [bound]: edge[field] } };
}

function placeAfter(part: Conditions, edge: PetDocument, query: PetsQuery): PetPlace {
  if (!isByTime(part, query))
    return { id: edge._id, createdAt: (part['createdAt'] as Date | undefined) ?? edge.createdAt };
  return { id: directionOf(query) === 1 ? INT64_MAX : INT64_MIN, createdAt: edge.createdAt };
}

function isByTime({ createdAt }: Conditions, query: PetsQuery): boolean {
  return isNewest(query) && !(createdAt instanceof Date);
}

function pageOf(documents: PetDocument[], limit: number): DocumentsPage {
  return { documents: documents.slice(0, limit), hasMore: documents.length > limit };
}
