import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

export interface Messages {
  /** For `http.createServer`: the classes of what it makes. */
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  /** Makes of them what `app` would turn them into. */
  adopt: (app: Express) => void;
}

/**
 * Requests and answers that are from the first what Express makes of them. Left to itself it gives each of them
 * another prototype (`handle` in its application.js), after which nothing that V8 has learnt of these objects holds:
 * about 100 µs of processor time a request. A prototype that is set already is left alone, and costs nothing.
 */
export function createMessages(): Messages {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse<T extends IncomingMessage = IncomingMessage> extends ServerResponse<T> {}
  return {
    classes: { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse },
    adopt(app) {
      Object.setPrototypeOf(GatewayRequest.prototype, app.request);
      Object.setPrototypeOf(GatewayResponse.prototype, app.response);
      app.request = GatewayRequest.prototype as unknown as Express['request'];
      app.response = GatewayResponse.prototype as unknown as Express['response'];
    },
  };
}
