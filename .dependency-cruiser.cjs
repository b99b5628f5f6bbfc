/** The floors of src, lowest first. A file imports from its own floor and from those below. */
const FLOORS = [
  ['lib'],
  ['config', 'platform'],
  ['features'],
  ['http'],
  ['observability'],
  ['interfaces/rest', 'interfaces/graphql', 'interfaces/docs', 'interfaces/dashboard', 'interfaces/sites'],
  ['app'],
  ['server'],
  ['cli'],
];
/** The floors inside features, lowest first. */
const FEATURES = [
  ['plans', 'pets', 'audit'],
  ['projects', 'limiter'],
  ['keys'],
  ['quotas', 'usage', 'publishing', 'synchronization'],
  ['administration', 'system'],
];

/** One rule: a room imports from itself and from every floor below its own, from nothing beside or above it. */
function onlyDown(name, base, floors) {
  return floors.flatMap((rooms, floor) =>
    rooms.map((room) => ({
      name,
      severity: 'error',
      from: { path: `^${base}${room}/` },
      to: {
        path: `^${base}`,
        pathNot: [room, ...floors.slice(0, floor).flat()].map((below) => `^${base}${below}/`),
      },
    })),
  );
}

module.exports = {
  forbidden: [
    ...onlyDown('floors-of-src', 'src/', FLOORS),
    ...onlyDown('floors-of-features', 'src/features/', FEATURES),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-barrels', severity: 'error', from: {}, to: { path: '^src/.*/index\\.ts$' } },
    {
      name: 'features-know-no-interface',
      comment: 'A feature is the same behind every interface: no Express, no GraphQL.',
      severity: 'error',
      from: { path: '^src/features/' },
      to: { path: 'node_modules/(express|graphql|type-graphql|@apollo)/' },
    },
    {
      name: 'only-mongo-files-use-mongoose',
      severity: 'error',
      from: {
        path: '^src/(features|http|interfaces)/',
        pathNot: ['(^|/)mongo-[^/]+\\.ts$'],
      },
      comment:
        'Only code in app/ that composes the gateway names the type of the connection that it passes on.',
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
        'A gateway that exports no traces loads nothing of OpenTelemetry: start-tracing.ts loads it on demand.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/observability/tracing/' },
      to: {
        path: ['^src/observability/tracing/', 'node_modules/@opentelemetry/'],
        pathNot: '^src/observability/tracing/(tracing|start-tracing)\\.ts$',
      },
    },
    {
      name: 'contracts-before-stores',
      comment:
        'A feature sees its store contract; the composition root chooses the store over MongoDB or Redis.',
      severity: 'error',
      from: { path: '^src/features/', pathNot: '/(mongo|redis)-[^/]+\\.ts$' },
      to: { path: ['/(mongo|redis)-[^/]+\\.ts$', '^src/platform/'] },
    },
    {
      name: 'interfaces-use-services',
      severity: 'error',
      from: { path: '^src/(http|interfaces)/' },
      to: { path: ['/(mongo|redis)-[^/]+\\.ts$', '^src/platform/'] },
    },
    { name: 'src-knows-no-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^test/' } },
    {
      name: 'dashboard-shares-facts',
      comment:
        'The dashboard knows the gateway by its API. It shares lists of facts, and the format of exports.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: {
        path: '^src/',
        pathNot:
          '^src/(features/(plans/plans|pets/pet|audit/audit-(record|export)|keys/sessions/sign-in-fragment))\\.ts$',
      },
    },
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
