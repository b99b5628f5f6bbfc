import { createApp } from '../app/app.js';
import type { Services } from '../app/services.js';
import { unauthenticatedHeaders } from '../http/answers/rate-limit-headers.js';
import type { GatewayServer } from '../http/server/server.js';

/** Makes the server answer with the app and the certificates of `services`. */
export function beginServing(server: Pick<GatewayServer, 'handle'>, services: Services): void {
  server.handle(createApp(services), unauthenticatedHeaders(services), services.siteRouting?.contextOf);
}
