import { createApp } from '../app/app.js';
import type { Services } from '../app/services.js';
import { unauthenticatedHeaders } from '../http/answers/rate-limit-headers.js';
import { clientOf } from '../http/server/client-address.js';
import type { GatewayServer } from '../http/server/server.js';
import type { ContextOf } from '../http/server/tls-server.js';

/** Makes the server answer with the app and the certificates of `services`. */
export function beginServing(server: Pick<GatewayServer, 'handle'>, services: Services): void {
  const app = createApp(services);
  const { siteRouting } = services;
  // As Express reads TRUST_PROXY: many clients connect from the address of a proxy.
  const isProxy = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const contextOf: ContextOf | undefined =
    siteRouting &&
    ((serverName, address) =>
      siteRouting.contextOf(serverName, isProxy(address, 0) ? undefined : clientOf(address)));
  server.handle(app, unauthenticatedHeaders(services), contextOf);
}
