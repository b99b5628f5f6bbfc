import { z } from 'zod';

/** CA responses (RFC 8555, 7.1), limited to the members that the gateway uses. Other members are ignored. */

const problem = z.object({
  type: z.string().optional(),
  detail: z.string().optional(),
  subproblems: z.array(z.object({ type: z.string().optional(), detail: z.string().optional() })).optional(),
});
/** A problem document that does not parse becomes one without a type: the HTTP status still says enough. */
export const problemAnswer = problem.catch({});

export const directoryAnswer = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  renewalInfo: z.url().optional(),
  meta: z
    .object({
      caaIdentities: z.array(z.string()).default([]),
      /** Descriptions by name; missing at an authority without profiles. */
      profiles: z.record(z.string(), z.unknown()).optional().catch(undefined),
    })
    .default({ caaIdentities: [] }),
});
export type Directory = z.infer<typeof directoryAnswer>;

export const orderAnswer = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: problem.optional(),
});
export type OrderAnswer = z.infer<typeof orderAnswer>;

export const authorizationAnswer = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(
    z.object({
      type: z.string(),
      // Future challenge types may have no URL, or a status that does not exist yet.
      url: z.string().optional(),
      status: z.string().optional(),
      error: problem.optional(),
    }),
  ),
});
export type Authorization = z.infer<typeof authorizationAnswer>;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** RFC 9773, 4.2. */
export const renewalAnswer = z.object({
  suggestedWindow: z.object({ start: time, end: time }),
  explanationURL: z.string().optional(),
});

/**
 * Parses `Retry-After`, seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from now.
 * @returns undefined if the header is missing or neither
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // Date.parse accepts other text too, such as "-1".
  const atMs = header.endsWith(' GMT') ? Date.parse(header) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
