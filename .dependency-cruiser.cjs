/**
 * The direction of imports:
 * main | cli → services, app → rest | graphql | docs | dashboard | sites | http → feature → feature store contract ← mongo-*
 * Every folder may use lib; lib uses nothing of ours.
 */
const features =
  '^src/(pets|api-keys|projects|deploys|quotas|domains|certificates|audit|administration|idempotency|usage|system|imports|sessions|versioning)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index\\.ts$' } },
    {
      name: 'lib-stands-alone',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { path: '^src/', pathNot: '^src/lib/' },
    },
    {
      name: 'features-know-no-door',
      comment: 'A feature is the same behind every door: no Express, no GraphQL.',
      severity: 'error',
      from: { path: features },
      to: {
        path: [
          '^src/(http|rest|graphql|docs|dashboard|sites|cli)/',
          '^src/(main|app|services|config)\\.ts$',
          'node_modules/(express|graphql|type-graphql|@apollo)/',
        ],
      },
    },
    {
      name: 'only-mongo-files-use-mongoose',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '(^|/)mongo-[^/]+\\.ts$',
          '^src/mongo/',
          '^src/migrations/',
          '^src/(?!app|config|main|settings|version)[^/]+\\.ts$',
        ],
      },
      comment: 'What composes the gateway names the type of the connection it passes on.',
      to: { path: 'node_modules/(mongoose|mongodb)/' },
    },
    {
      name: 'only-redis-files-use-ioredis',
      severity: 'error',
      from: { path: '^src/', pathNot: ['(^|/)redis-[^/]+\\.ts$'] },
      to: { path: 'node_modules/ioredis/' },
    },
    {
      name: 'tracing-is-loaded-late',
      comment:
        'Whoever exports no traces loads nothing of OpenTelemetry: start-tracing.ts alone does, when it is asked to.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/tracing/' },
      to: {
        path: ['^src/tracing/', 'node_modules/@opentelemetry/'],
        pathNot: '^src/tracing/(tracing|start-tracing|otlp-settings)\\.ts$',
      },
    },
    {
      name: 'features-know-no-tracing',
      severity: 'error',
      from: { path: features },
      to: { path: '^src/(tracing|metrics)/' },
    },
    {
      name: 'contracts-before-stores',
      comment: 'A feature sees its store contract; the composition root picks the one over MongoDB or Redis.',
      severity: 'error',
      from: { path: features, pathNot: '/(mongo|redis)-[^/]+\\.ts$' },
      to: { path: ['/(mongo|redis)-[^/]+\\.ts$', '^src/(mongo|redis)/'] },
    },
    {
      name: 'doors-apart',
      severity: 'error',
      from: { path: '^src/(rest|graphql|docs|dashboard|sites)/' },
      to: { path: '^src/(rest|graphql|docs|dashboard|sites)/', pathNot: '^src/$1/' },
    },
    {
      name: 'doors-use-services',
      severity: 'error',
      from: { path: '^src/(http|rest|graphql|docs|dashboard|sites)/' },
      to: { path: ['/(mongo|redis)-[^/]+\\.ts$', '^src/(mongo|redis)/', '^src/cli/', '^src/main\\.ts$'] },
    },
    { name: 'src-knows-no-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^test/' } },
    {
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default'] },
  },
};
