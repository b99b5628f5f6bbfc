import { parseConfig } from '../../../src/config/config.js';
import { ConfigError } from '../../../src/config/config-error.js';

test.each([
  'redis://localhost',
  'redis://localhost:6379/',
  'rediss://user:p%40ss@redis.example.com:6380/2',
  'redis://[::1]:6379',
])('REDIS_URL=%s is taken as it is', (url) => {
  expect(parseConfig({ REDIS_URL: url }).redisUrl).toBe(url);
});

test.each([
  'localhost:6379',
  'http://localhost:6379',
  'redis://',
  'redis:///tmp/redis.sock',
  'redis://localhost:port',
  'redis://localhost/db',
  'redis://localhost?enableOfflineQueue=true',
  'redis://:hidden-word@local host',
])('REDIS_URL=%s stops the start, and is not repeated', (url) => {
  const start = () => parseConfig({ REDIS_URL: url });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(/REDIS_URL must be a redis:\/\/ or rediss:\/\/ URL/);
  expect(start).not.toThrow(/hidden-word/);
});

test('unset: counters live in MongoDB', () => {
  expect(parseConfig({ REDIS_URL: '' }).redisUrl).toBeUndefined();
});
