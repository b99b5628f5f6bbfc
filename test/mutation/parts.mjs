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
    mutate: ['src/graphql/int64-scalar.ts'],
    tests: ['test/graphql/int64-scalar.test.ts'],
  },
  cost: {
    mutate: ['cost', 'nodes', 'answer-size', 'asked-size', 'fragments'].map(
      (name) => `src/graphql/${name}.ts`,
    ),
    tests: ['test/graphql/{cost,nodes,answer-size}.test.ts'],
  },
  paging: {
    mutate: ['src/pets/{cursor,page}.ts', 'src/lib/cursor.ts', 'src/rest/parse-pets-query.ts'],
    tests: ['test/{pets,lib}/cursor.test.ts', 'test/pets/page.test.ts', 'test/rest/parse-pets-query.test.ts'],
  },
  keys: {
    mutate: ['src/api-keys/{api-key,caller,key-cache,secret}.ts'],
    tests: ['test/api-keys/{caller,key-cache,secret}.test.ts'],
  },
  'keys-service': {
    mutate: ['src/api-keys/{api-keys-service,authenticator,key-uses}.ts', 'src/graphql/api-key-page.ts'],
    tests: [
      'test/api-keys/{api-keys-service,authenticator,key-uses}.test.ts',
      'test/graphql/api-key-page.test.ts',
    ],
  },
  'keys-store': {
    mutate: ['src/api-keys/mongo-*.ts'],
    tests: ['test/api-keys/api-keys-store.test.ts'],
  },
  quotas: {
    mutate: [
      'src/quotas/{client-limiter,key-quotas,plans,quotas-service,shared-client-limiter,strikes,window}.ts',
    ],
    tests: ['test/quotas/{client-limiter,plans,quotas-service,shared-client-limiter,strikes,window}.test.ts'],
  },
  limiter: {
    mutate: ['src/quotas/{counting-limiter,memory-counters}.ts'],
    tests: ['test/quotas/limiter-over-memory.test.ts'],
  },
  outage: {
    mutate: ['src/quotas/{deadline-counters,outage-limiter}.ts'],
    tests: ['test/quotas/outage-limiter.test.ts'],
  },
  leases: {
    mutate: ['src/quotas/leased-counters.ts'],
    tests: ['test/quotas/leases-over-memory.test.ts'],
  },
  certificates: {
    mutate: [
      'src/certificates/{acme-failure,certificate-chain,encryption-keys,key-authorization,key-ring,renewal-time,retry-after,waits}.ts',
    ],
    tests: [
      'test/certificates/{acme-failure,certificate-chain,key-authorization,key-ring,renewal-time,waits}.test.ts',
    ],
  },
  'domain-name': {
    mutate: ['src/domains/domain-name.ts', 'src/domains/dns/{dns-server,records-to-publish}.ts'],
    tests: ['test/domains/domain-name.test.ts', 'test/domains/dns/{dns-server,records-to-publish}.test.ts'],
  },
  dns: {
    mutate: ['src/domains/dns/{caa-permits,check-*,dns,follow-cnames,shown}.ts'],
    tests: ['test/domains/dns/{check-*,dns}.test.ts'],
  },
  counters: {
    mutate: ['src/quotas/{counters,mongo-counters,mongo-strikes-store,overlong-counters,redis-counters}.ts'],
    tests: ['test/quotas/{mongo-counters,overlong-counters,redis-counters,strikes-store}.test.ts'],
  },
};
