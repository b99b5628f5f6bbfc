import type { Request } from 'express';
import { LRUCache } from 'lru-cache';

/**
 * Longest Accept or Accept-Encoding header that is parsed, in characters. Browsers and programs send a few hundred;
 * parsing 16 KiB would take 30 ms of CPU time.
 */
const MAX_LENGTH = 1000;

/**
 * Returns the offered media type that the client prefers, or undefined if it accepts none of them. An Accept header
 * over MAX_LENGTH is ignored, as RFC 9110 section 12.5.1 allows: the result is then the first offer.
 */
export function preferredType(req: Request, offered: readonly string[]): string | undefined {
  if (!isRead(req.headers.accept)) return offered[0];
  const preferred = req.accepts([...offered]);
  return preferred === false ? undefined : preferred;
}

export type Coding = 'br' | 'gzip' | 'identity';

/** In the order of preference where the client has none: the smallest first. */
const CODINGS: readonly Coding[] = ['br', 'gzip', 'identity'];
/** The weight of the plain bytes, which every client accepts unless it says otherwise. */
const LEAST_WEIGHT = 0.0001;
/** Browsers send few different headers. */
const accepted = new LRUCache<string, readonly Coding[]>({ max: 100, memoMethod: readCodings });

/**
 * Returns the content codings that the client accepts (RFC 9110 section 12.5.3), the best first. Empty without an
 * Accept-Encoding header, or if the header is over MAX_LENGTH.
 */
export function acceptedCodings({ headers: { 'accept-encoding': header } }: Request): readonly Coding[] {
  return header === undefined || !isRead(header) ? [] : accepted.memo(header);
}

/** Express would take the order in the header for a preference: browsers name gzip before Brotli. */
function readCodings(header: string): readonly Coding[] {
  const weights = new Map(header.toLowerCase().split(',').map(readWeight));
  const others = weights.get('*');
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? (coding === 'identity' && others !== 0 ? LEAST_WEIGHT : (others ?? 0));
  return CODINGS.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
}

function readWeight(entry: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [coding, /^[01]$|^[01]\.\d{0,3}$/.test(weight) ? Math.min(1, Number(weight)) : 0];
}

function isRead(header: string | undefined): boolean {
  return header === undefined || header.length <= MAX_LENGTH;
}
