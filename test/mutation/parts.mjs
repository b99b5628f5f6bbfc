/**
 * What is mutated, and the tests that have to notice it: those at the level of the part itself. A mutant runs every
 * test that reaches it, so whole gateways under attack, from the command line or over minutes stay out.
 */
export const parts = {
  int64: {
    mutate: ['src/lib/int64.ts', 'src/lib/parse-json.ts'],
    tests: ['test/lib/int64.test.ts', 'test/lib/parse-json.test.ts'],
  },
  'int64-scalar': {
    mutate: ['src/interfaces/graphql/schema/int64-scalar.ts'],
    tests: ['test/interfaces/graphql/schema/int64-scalar.test.ts'],
  },
  cost: {
    mutate: ['src/interfaces/graphql/cost.ts', 'src/interfaces/graphql/answer-size.ts'],
    tests: [
      'test/interfaces/graphql/cost.test.ts',
      'test/interfaces/graphql/nodes.test.ts',
      'test/interfaces/graphql/answer-size.test.ts',
    ],
  },
  paging: {
    mutate: [
      'src/features/pets/cursor.ts',
      'src/features/pets/page.ts',
      'src/lib/cursor.ts',
      'src/interfaces/rest/parse-pets-query.ts',
    ],
    tests: [
      'test/features/pets/cursor.test.ts',
      'test/lib/cursor.test.ts',
      'test/features/pets/page.test.ts',
      'test/interfaces/rest/parse-pets-query.test.ts',
    ],
  },
  keys: {
    mutate: [
      'src/features/keys/api-key.ts',
      'src/features/keys/caller.ts',
      'src/features/keys/key-cache.ts',
      'src/features/keys/secret.ts',
      'src/lib/read-cache.ts',
    ],
    tests: [
      'test/features/keys/caller.test.ts',
      'test/features/keys/key-cache.test.ts',
      'test/features/keys/secret.test.ts',
      'test/lib/read-cache.test.ts',
    ],
  },
  'keys-service': {
    mutate: [
      'src/features/keys/api-keys-service.ts',
      'src/features/keys/authenticator.ts',
      'src/interfaces/graphql/schema/keys/api-key-page.ts',
    ],
    tests: [
      'test/features/keys/api-keys-service.test.ts',
      'test/features/keys/authenticator.test.ts',
      'test/interfaces/graphql/schema/keys/api-key-page.test.ts',
    ],
  },
  'keys-store': {
    mutate: [
      'src/features/keys/mongo-api-key-document.ts',
      'src/features/keys/mongo-api-keys-indexes.ts',
      'src/features/keys/mongo-api-keys-page.ts',
      'src/features/keys/mongo-api-keys-store.ts',
    ],
    tests: ['test/features/keys/api-keys-store.test.ts'],
  },
  quotas: {
    mutate: [
      'src/features/limiter/client-limiter.ts',
      'src/features/quotas/key-quotas.ts',
      'src/features/plans/check-plan.ts',
      'src/features/plans/plans.ts',
      'src/features/quotas/quotas-service.ts',
      'src/features/limiter/shared-client-limiter.ts',
      'src/features/quotas/strikes.ts',
      'src/features/plans/window.ts',
    ],
    tests: [
      'test/features/limiter/client-limiter.test.ts',
      'test/features/plans/plans.test.ts',
      'test/features/quotas/quotas-service.test.ts',
      'test/features/limiter/shared-client-limiter.test.ts',
      'test/features/quotas/strikes.test.ts',
      'test/features/plans/window.test.ts',
    ],
  },
  limiter: {
    mutate: [
      'src/features/limiter/account.ts',
      'src/features/limiter/quota-store.ts',
      'src/features/limiter/accounts.ts',
    ],
    tests: ['test/features/limiter/limiter-over-memory.test.ts'],
  },
  outage: {
    mutate: ['src/features/limiter/outage.ts', 'src/features/limiter/quota-limiter.ts'],
    tests: ['test/features/limiter/outage.test.ts', 'test/features/limiter/outage-local-windows.test.ts'],
  },
  certificates: {
    mutate: [
      'src/features/publishing/certificates/acme-failure.ts',
      'src/features/publishing/certificates/certificate-chain.ts',
      'src/lib/encryption-keys.ts',
      'src/features/publishing/certificates/key-authorization.ts',
      'src/features/publishing/certificates/key-ring.ts',
      'src/features/publishing/certificates/renewal-time.ts',
      'src/features/publishing/domains/back-off.ts',
    ],
    tests: [
      'test/features/publishing/certificates/acme-failure.test.ts',
      'test/features/publishing/certificates/certificate-chain.test.ts',
      'test/features/publishing/certificates/key-authorization.test.ts',
      'test/features/publishing/certificates/key-ring.test.ts',
      'test/features/publishing/certificates/renewal-time.test.ts',
      'test/features/publishing/domains/back-off.test.ts',
    ],
  },
  'domain-name': {
    mutate: [
      'src/features/publishing/domains/domain-name.ts',
      'src/config/dns-server.ts',
      'src/features/publishing/domains/dns/records-to-publish.ts',
    ],
    tests: [
      'test/features/publishing/domains/domain-name.test.ts',
      'test/config/dns-server.test.ts',
      'test/features/publishing/domains/dns/records-to-publish.test.ts',
    ],
  },
  dns: {
    mutate: [
      'src/features/publishing/domains/dns/ask-servers.ts',
      'src/features/publishing/domains/dns/check.ts',
      'src/features/publishing/domains/dns/check-caa.ts',
      'src/features/publishing/domains/dns/check-ownership.ts',
      'src/features/publishing/domains/dns/check-routing.ts',
      'src/features/publishing/domains/dns/dns.ts',
      'src/features/publishing/domains/dns/message.ts',
    ],
    tests: [
      'test/features/publishing/domains/dns/caa-lookup.test.ts',
      'test/features/publishing/domains/dns/check-caa.test.ts',
      'test/features/publishing/domains/dns/check-ownership.test.ts',
      'test/features/publishing/domains/dns/check-routing.test.ts',
      'test/features/publishing/domains/dns/dns.test.ts',
    ],
  },
  'quota-stores': {
    mutate: [
      'src/features/limiter/mongo-quota-store.ts',
      'src/features/quotas/mongo-strikes-store.ts',
      'src/features/limiter/redis-quota-store.ts',
    ],
    tests: [
      'test/features/limiter/mongo-quota-store.test.ts',
      'test/features/limiter/redis-quota-store.test.ts',
      'test/features/quotas/strikes-store.test.ts',
    ],
  },
  'response-cache': {
    mutate: ['src/interfaces/graphql/response-cache.ts'],
    tests: ['test/interfaces/graphql/response-cache.test.ts'],
  },
  load: {
    mutate: ['src/http/load/in-flight-limit.ts', 'src/lib/turns.ts'],
    tests: ['test/http/load/in-flight-limit.test.ts', 'test/lib/turns.test.ts'],
  },
  usage: {
    mutate: [
      'src/features/usage/groups.ts',
      'src/features/usage/recorder.ts',
      'src/features/usage/usage-range.ts',
      'src/features/usage/usage-service.ts',
      'src/features/usage/write-buffer.ts',
    ],
    tests: ['test/features/usage/recorder.test.ts', 'test/features/usage/usage-service.test.ts'],
  },
  'rate-limit-headers': {
    mutate: ['src/http/answers/rate-limit-headers.ts', 'src/lib/rate-limit-error.ts'],
    tests: ['test/http/answers/rate-limit-headers.test.ts', 'test/lib/rate-limit-error.test.ts'],
  },
  authenticate: {
    mutate: ['src/http/steps/authenticate.ts'],
    tests: ['test/http/steps/authenticate.test.ts'],
  },
  roles: {
    mutate: ['src/interfaces/graphql/schema/context.ts', 'src/interfaces/rest/route-checks.ts'],
    tests: ['test/interfaces/graphql/schema/context.test.ts', 'test/interfaces/rest/route-checks.test.ts'],
  },
  'browser-keys': {
    mutate: ['src/http/steps/browser-key.ts'],
    tests: ['test/http/steps/browser-key.test.ts'],
  },
  sessions: {
    mutate: [
      'src/features/keys/sessions/*.ts',
      'src/http/steps/authenticate-session.ts',
      'src/http/steps/dashboard-address.ts',
      'src/http/steps/session-cookie.ts',
    ],
    tests: [
      'test/features/keys/sessions/session-token.test.ts',
      'test/features/keys/sessions/sessions-service.test.ts',
      'test/http/steps/authenticate-session.test.ts',
    ],
  },
  idempotency: {
    mutate: ['src/features/pets/idempotency/*.ts', 'src/interfaces/rest/idempotency-key.ts'],
    tests: [
      'test/features/pets/idempotency/idempotency-store.test.ts',
      'test/interfaces/rest/idempotency-key.test.ts',
    ],
  },
  'pets-store': {
    mutate: [
      'src/features/pets/coalesced-reads.ts',
      'src/features/pets/group-commit.ts',
      'src/features/pets/leased-ids.ts',
      'src/features/pets/mongo-pets-store.ts',
      'src/features/pets/single-inserts.ts',
      'src/lib/batcher.ts',
    ],
    tests: [
      'test/features/pets/leased-ids.test.ts',
      'test/features/pets/mongo-pets-store.test.ts',
      'test/features/pets/pets-store.test.ts',
      'test/features/pets/what-leaves-together.test.ts',
      'test/lib/batcher.test.ts',
    ],
  },
  imports: {
    mutate: ['src/features/pets/import/*.ts'],
    tests: [
      'test/features/pets/import/import-pets.test.ts',
      'test/features/pets/import/parse-line.test.ts',
      'test/features/pets/import/read-lines.test.ts',
      'test/features/pets/import/rejected-lines.test.ts',
    ],
  },
};
