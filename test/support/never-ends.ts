import { freshDatabase } from './database.js';
import { startGatewayProcess } from './gateway-process.js';
import { startRedisServer } from './redis-server.js';

/** Not found as a test by its name: test/thorough/runner runs it, and ends its run. */
test('starts programs, and waits', async () => {
  const redis = await startRedisServer();
  const gateway = await startGatewayProcess({ MONGODB_URI: freshDatabase().uri, REDIS_URL: redis.url });
  process.stderr.write(`under way: ${redis.pid} ${gateway.pid}\n`);
  await new Promise(() => undefined);
});
