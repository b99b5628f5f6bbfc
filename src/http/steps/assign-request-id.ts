import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Logger } from '../../lib/logger.js';
import { clientOf } from '../server/client-address.js';
import { gatewayUrlOf } from '../server/gateway-url.js';
import { setCommonHeaders } from '../answers/common-headers.js';
import { requestContextOf } from './request-context.js';

/** A request id that a client may choose: safe in a log line and in a header. */
const CLIENT_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The first step: sets the request id, the gateway's address, the client, and the headers that every response carries. */
export function assignRequestId(log: Logger, trustsProxy: boolean, publicUrl?: string): RequestHandler {
  let warned = trustsProxy;
  return (req, res, next) => {
    const given = req.headers['x-request-id'];
    const requestId = typeof given === 'string' && CLIENT_REQUEST_ID.test(given) ? given : randomUUID();
    if (!warned && req.headers['x-forwarded-for'] !== undefined) {
      warned = true;
      log.warn(
        'A client sent X-Forwarded-For, but TRUST_PROXY is not set; clients are identified by their connection',
      );
    }
    const context = requestContextOf(res);
    context.requestId = requestId;
    context.publicUrl = publicUrl;
    context.gatewayUrl = gatewayUrlOf(req, req.protocol, publicUrl);
    context.client = clientOf(trustsProxy ? req.ip : req.socket.remoteAddress);
    setCommonHeaders(res, requestId);
    next();
  };
}
