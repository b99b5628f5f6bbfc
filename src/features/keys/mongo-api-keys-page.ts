import type { QueryFilter } from 'mongoose';
import { utcDay } from '../../lib/clock.js';
import { badCursor, decodeCursor, encodeCursor } from '../../lib/cursor.js';
import { containing } from '../../platform/mongo/containing.js';
import type { ApiKeyOrder, ApiKeysFilter } from './api-keys-store.js';
import type { ApiKeyState } from './api-key.js';
import { usageRank, type ApiKeyDocument } from './mongo-api-key-document.js';
import { ORDERS } from './mongo-api-keys-indexes.js';

type Filter = QueryFilter<ApiKeyDocument>;

export function filterOf(filter: ApiKeysFilter, nowMs: number): Filter {
  const { projectId, plan, role, state, banned, nearLimit, rejectedToday, usedToday, nameContains } = filter;
  const now = new Date(nowMs);
  const today = utcDay(nowMs);
  const conditions: Filter[] = [];
  if (projectId !== undefined) conditions.push({ projectId });
  if (plan !== undefined) conditions.push({ plan });
  if (role !== undefined) conditions.push({ role });
  if (state !== undefined) conditions.push(stateFilter(state, now));
  if (banned !== undefined)
    conditions.push(banned ? { 'ban.until': { $gt: now } } : { 'ban.until': { $not: { $gt: now } } });
  if (nearLimit !== undefined) conditions.push({ nearLimitDay: nearLimit ? today : { $ne: today } });
  if (rejectedToday !== undefined) conditions.push({ rejectedDay: rejectedToday ? today : { $ne: today } });
  if (usedToday !== undefined) {
    const used = { $gt: usageRank(nowMs, 0) };
    conditions.push({ usageRank: usedToday ? used : { $not: used } });
  }
  if (nameContains !== undefined) conditions.push({ name: containing(nameContains) });
  return conditions.length === 0 ? {} : { $and: conditions };
}

function stateFilter(state: ApiKeyState, now: Date): Filter {
  switch (state) {
    case 'revoked':
      return { revokedAt: { $ne: null } };
    case 'expired':
      return { revokedAt: null, expiresAt: { $lte: now } };
    case 'disabled':
      return { ...notEndedBy(now), disabledAt: { $ne: null } };
    case 'active':
      return { ...notEndedBy(now), disabledAt: null };
  }
}

/** Matches keys that are neither revoked nor expired: active and disabled ones. */
export function notEndedBy(now: Date): Filter {
  return { revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
}

/** An opaque position in a list: its order, the value there, and the id that breaks ties. */
export function cursorOf(document: ApiKeyDocument, orderBy: ApiKeyOrder): string {
  const value = document[ORDERS[orderBy].field] ?? null;
  return encodeCursor([orderBy, value instanceof Date ? value.getTime() : value, document._id]);
}

/**
 * Returns filters for the entries after the cursor, or for the whole list, to be read one after the other: first the
 * ties, then the entries beyond. In a single query, MongoDB would also read every tie before the cursor. On a quiet
 * day, most keys have the same usage.
 * @throws ApiError invalid_request for a malformed cursor or a cursor of another order
 */
export function partsAfter(cursor: string | undefined, orderBy: ApiKeyOrder): Filter[] {
  if (cursor === undefined) return [{}];
  const [value, id] = parseCursor(cursor, orderBy);
  const { field, direction } = ORDERS[orderBy];
  const ties = { [field]: value, _id: direction === 1 ? { $gt: id } : { $lt: id } };
  // In descending order, missing values come last. `$not` matches them, but `$lt` does not.
  if (value === null) return [ties];
  return [ties, { [field]: direction === 1 ? { $gt: value } : { $not: { $gte: value } } }];
}

function parseCursor(cursor: string, orderBy: ApiKeyOrder): [Date | number | null, string] {
  const [order, value, id] = decodeCursor(cursor);
  if (order !== orderBy || typeof id !== 'string' || (value !== null && typeof value !== 'number'))
    throw badCursor();
  if (value === null || orderBy === 'usageToday') return [value, id];
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw badCursor();
  return [date, id];
}
