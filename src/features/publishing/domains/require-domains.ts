import { ApiError } from '../../../lib/errors.js';
import type { DomainsService } from './domains-service.js';

/** @throws ApiError precondition_failed where no site is published: a domain would have nothing to lead to */
export function requireDomains(domains: DomainsService | undefined): DomainsService {
  if (domains === undefined)
    throw new ApiError(
      'precondition_failed',
      'This gateway publishes no sites, so that it takes no domains: its operator has to set PLATFORM_HOST.',
    );
  return domains;
}
