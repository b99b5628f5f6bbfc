import { ApiError } from '../../../lib/errors.js';
import type { DomainsService } from './domains-service.js';

/** @throws ApiError precondition_failed if the gateway publishes no sites: a domain would have no target */
export function requireDomains(domains: DomainsService | undefined): DomainsService {
  if (domains === undefined)
    throw new ApiError(
      'precondition_failed',
      'This gateway publishes no sites, so projects can’t have domains. The operator can turn publishing on by setting PLATFORM_HOST.',
    );
  return domains;
}
