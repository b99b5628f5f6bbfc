import express, { type Express, type RequestHandler } from 'express';
import { dashboard } from '../interfaces/dashboard/dashboard.js';
import { findPageDocuments } from '../interfaces/dashboard/page-files.js';
import { docsRoutes } from '../interfaces/docs/docs-routes.js';
import { createGraphQLHandler, createSiteGraphQLHandler } from '../interfaces/graphql/graphql-handler.js';
import { markGraphQLRequests } from '../interfaces/graphql/mark-graphql-requests.js';
import { answerChallenge } from '../interfaces/sites/answer-challenge.js';
import { callerBySession } from '../http/steps/authenticate-session.js';
import { authenticate, callerByKey } from '../http/steps/authenticate.js';
import { assignRequestId } from '../http/steps/assign-request-id.js';
import { payFirst, requireOwnPage } from '../http/steps/browser-key.js';
import { routeByHost, findSite } from '../interfaces/sites/host-routing.js';
import { answerPreflight, withoutCors } from '../http/steps/cors.js';
import { addressOfNode } from '../http/server/client-address.js';
import { createWaitingCallers, type WaitingCallers } from '../http/steps/current-caller.js';
import { tagArea } from '../http/steps/tag-area.js';
import { countUsage } from '../http/steps/count-usage.js';
import { exactPath, exactPaths } from '../http/steps/exact-paths.js';
import { chargeRest, refuseAtOnce } from '../http/steps/enforce-quota.js';
import { observeRequests } from '../http/steps/finished-request.js';
import { live, ready, suggestReady } from '../http/steps/health.js';
import { logRequest } from '../http/steps/log-request.js';
import { answerMetrics } from '../observability/metrics/metrics.js';
import { compose, withErrorsTo } from '../http/steps/compose.js';
import { readBody } from '../http/steps/read-body.js';
import { answerMistypedAddress } from '../interfaces/sites/mistyped-address.js';
import { linkPrimary, redirectToHttps, redirectVisitors } from '../interfaces/sites/redirect-visitors.js';
import { renderError } from '../http/answers/render-error.js';
import { requireHost } from '../http/steps/require-host.js';
import { requireServerName } from '../interfaces/sites/require-server-name.js';
import { holdPlace, shedLoad } from '../http/steps/shed-load.js';
import { requireSiteKey } from '../interfaces/sites/site-key.js';
import { waitForTurn } from '../http/steps/wait-for-turn.js';
import { answerAbsentHost } from '../interfaces/sites/absent-host.js';
import { uploadArchive } from '../interfaces/rest/upload-archive.js';
import { uploadPetsImport } from '../interfaces/rest/upload-pets-import.js';
import { nothingAt, operationOf } from '../interfaces/rest/paths.js';
import { petsRoutes, readAhead } from '../interfaces/rest/pets-routes.js';
import { restRoutes } from '../interfaces/rest/rest-routes.js';
import { pathOf } from '../http/steps/request-context.js';
import type { Services } from './services.js';
import { serveFiles } from '../interfaces/sites/serve-files.js';
import { shareWellKnown } from '../interfaces/sites/share-well-known.js';

/** Builds the request pipeline, the same for both interfaces, in this order. Does not listen on a port. */
export function createApp(services: Services): Express {
  const { config, clock, log, anonymous, tracing } = services;
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  trustProxies(app, config.trustProxy);

  const answerError = renderError(services);
  const callers = createWaitingCallers(services);
  const decisions = [requireOwnPage(services), refuseAtOnce(services)];
  const everyRequest = compose(
    assignRequestId(log, config.trustProxy.length > 0, config.publicUrl),
    ...tracing.beginRequest,
    observeRequests(
      operationOf,
      countUsage(services),
      services.metrics.countRequest,
      logRequest(services),
      tracing.endRequest,
    ),
    requireHost,
    exactPaths({
      '/health/live': tagArea('health', live),
      '/health/ready': tagArea(
        'health',
        ready(services, (req) => callerByKey(services, req)),
      ),
    }),
    ...otherHosts(services, callers),
    dashboard(services),
    markGraphQLRequests,
    answerPreflight(anonymous, clock),
    shedLoad(services),
    docsRoutes(services),
    answerMistypedAddress,
    exactPaths({ '/health': suggestReady, '/healthz': suggestReady }),
    authenticate(services, callerBySession(services)),
    holdPlace(services),
    exactPaths({ '/metrics': tagArea('metrics', answerMetrics(services.metrics)) }),
    ...decisions,
    payFirst(services),
    uploadArchive(services, callers),
    uploadPetsImport(services, callers),
    callers.during(readBody(), ...decisions),
    tracing.resuming(callers.during(waitForTurn(config.load.maxInFlightPerKey, services), ...decisions)),
  );
  app.use(withErrorsTo(answerError, everyRequest));
  app.all('/graphql', createGraphQLHandler(services, findPageDocuments()));
  app.use(readAhead(services.pets));
  app.use(chargeRest(services));
  app.use(restRoutes(petsRoutes(services), services));
  app.use((req) => {
    throw nothingAt(pathOf(req));
  });
  app.use(answerError);
  return app;
}

/** Express compares whole entries of X-Forwarded-For with the networks; some proxies add ports to them. */
function trustProxies(app: Express, networks: readonly string[]): void {
  app.set('trust proxy', networks);
  const trusts = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  app.set('trust proxy', (node: string, hop: number) => trusts(addressOfNode(node), hop));
}

/**
 * With PLATFORM_HOST set, requests for hosts other than the operator's end here: with a published site, or with 421.
 */
function otherHosts(services: Services, callers: WaitingCallers): RequestHandler[] {
  const { config, clock, sites, siteRouting, customerDomains, tracing, log } = services;
  const { operatorHost: operator, publicUrl, platformHost } = config;
  if (sites === undefined || siteRouting === undefined) return [];
  if (operator === undefined || publicUrl === undefined || platformHost === undefined) return [];
  const graphql = compose(
    authenticate(services),
    holdPlace(services),
    requireSiteKey(services),
    payFirst(services),
    callers.during(readBody()),
    tracing.resuming(callers.during(waitForTurn(config.load.maxInFlightPerKey, services))),
    createSiteGraphQLHandler(services),
  );
  const site = compose(
    tagArea('site', withoutCors),
    shedLoad(services),
    answerChallenge({
      isIssuing: async (host) => (await customerDomains?.store.isIssuing(host)) ?? false,
      accountKey: () => customerDomains?.accountKey(),
    }),
    findSite({
      siteAt: (host, client) => siteRouting.live.at(host, client),
      answerAbsent: answerAbsentHost({ platformHost, publicUrl, log, clock }),
    }),
    shareWellKnown(),
    redirectVisitors(config),
    markGraphQLRequests,
    exactPath('/graphql', graphql),
    serveFiles(sites, linkPrimary(config)),
  );
  return [
    requireServerName(config.hstsSeconds),
    routeByHost({ operator }, site),
    redirectToHttps(config, () => siteRouting.isCovered(operator)),
  ];
}
