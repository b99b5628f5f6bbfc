import { invalidRequest } from './errors.js';

/** How many entries a page of any list has. */
export const PAGE_SIZE = { minimum: 1, maximum: 100, default: 20 } as const;

/** @throws ApiError invalid_request; values out of range are never clamped */
export function checkPageSize(value: number, field: string): number {
  if (!Number.isInteger(value) || value < PAGE_SIZE.minimum || value > PAGE_SIZE.maximum)
    throw invalidRequest({
      field,
      message: `must be an integer from ${PAGE_SIZE.minimum} to ${PAGE_SIZE.maximum}; received ${value}`,
    });
  return value;
}
