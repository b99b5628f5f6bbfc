import type { Request, RequestHandler, Response } from 'express';
import type { AccountKey } from '../../features/publishing/certificates/account-key.js';
import { keyAuthorization } from '../../features/publishing/certificates/key-authorization.js';
import { ApiError } from '../../lib/errors.js';
import { isHostName } from '../../lib/host-name.js';
import { hostOf } from '../../http/server/host-of.js';
import { endWith } from '../../http/answers/end-with.js';
import { pathOf } from '../../http/steps/request-context.js';
import { inTime } from '../../lib/in-time.js';

const PREFIX = '/.well-known/acme-challenge/';

export interface ChallengeParts {
  /** Called for each challenge: a cached answer is not safe enough for a certificate. */
  isIssuing: (host: string) => Promise<boolean>;
  /** Undefined if no certificate authority is configured, or this gateway cannot open the account. */
  accountKey: () => Pick<AccountKey, 'thumbprint'> | undefined;
}

/**
 * Answers a certificate authority's HTTP-01 challenge (RFC 8555 section 8.3) while a certificate is being issued for
 * the host. The response depends only on the account key, so any gateway process can send it.
 * @throws ApiError not_found for every other host and token
 */
export function answerChallenge({ isIssuing, accountKey }: ChallengeParts): RequestHandler {
  async function answer(req: Request, res: Response): Promise<void> {
    const host = hostOf(req) ?? '';
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const account = isRead ? accountKey() : undefined;
    const proof = account && keyAuthorization(pathOf(req).slice(PREFIX.length), account);
    if (proof === undefined || !isHostName(host) || !(await inTime(isIssuing(host))))
      throw new ApiError('not_found', 'There is no such challenge.');
    res.setHeader('Content-Type', 'application/octet-stream');
    res.setHeader('Cache-Control', 'no-store');
    endWith(res, proof);
  }

  return (req, res, next) => (pathOf(req).startsWith(PREFIX) ? answer(req, res) : next());
}
