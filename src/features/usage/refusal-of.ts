import type { ApiError } from '../../lib/errors.js';
import type { Refusal } from './usage.js';

/** The details that a rejected client gets with the message; set in quotas-service.ts and rate-limit-error.ts. */
interface RefusalDetails {
  window?: string;
  limit?: number;
  cost?: number;
  resetAt?: string;
  /** Set for a ban. */
  until?: string;
}

type RefusedRequest = Pick<Refusal, 'at' | 'interface' | 'operation'>;

export function refusalOf(error: ApiError, request: RefusedRequest): Refusal {
  const { window, limit, cost, resetAt, until = resetAt } = detailsOf(error);
  return {
    ...request,
    code: error.code,
    message: error.message,
    ...(window !== undefined && { window }),
    ...(limit !== undefined && { limit }),
    ...(cost !== undefined && { cost }),
    ...(until !== undefined && { resetAt: new Date(until) }),
  };
}

/** Identifies rejections with the same reason. */
export function kindOf(error: ApiError): string {
  return `${error.code} ${detailsOf(error).window}`;
}

function detailsOf({ details }: ApiError): RefusalDetails {
  return details ?? {};
}
