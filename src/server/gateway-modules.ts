/** What serves requests, and all that it needs of packages: most of the time to load the gateway. See loadGateway. */
export { collectDefaultMetrics } from 'prom-client';
export { prepareDatabase } from '../app/migrations/prepare-database.js';
export { createServices } from '../app/services.js';
export { startTracing } from '../observability/tracing/start-tracing.js';
export { beginServing } from './begin-serving.js';
export { beginDatabase } from './first-start.js';
