import { parseConfig } from '../../../src/config/config.js';
import { ConfigError } from '../../../src/config/config-error.js';
import { parseRedisUrl } from '../../../src/lib/redis-url.js';

test.each([
  'redis://localhost',
  'redis://localhost:6379/',
  'rediss://user:p%40ss@redis.example.com:6380/2',
  'redis://[::1]:6379',
  'redis://:secret@a:7000,b:7001,[::1]',
  'redis+cluster://endpoint.example.com:6379',
  'rediss+sentinel://user:word@a,b:26380/quotas/3?sentinelPassword=other',
])('REDIS_URL=%s is taken as it is', (url) => {
  expect(parseConfig({ REDIS_URL: url }).redisUrl).toBe(url);
});

test('one host is a server, several are a cluster, and a scheme names Sentinels', () => {
  expect(parseRedisUrl('rediss://user:p%40ss@[::1]/2')).toMatchObject({
    kind: 'server',
    hosts: [{ host: '::1', port: 6379 }],
    isEncrypted: true,
    username: 'user',
    password: 'p@ss',
    database: 2,
  });
  expect(parseRedisUrl('redis://:word@a:7000,b')).toMatchObject({
    kind: 'cluster',
    hosts: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 6379 },
    ],
    isEncrypted: false,
    username: undefined,
    password: 'word',
    database: 0,
  });
  expect(parseRedisUrl('redis+cluster://endpoint')).toMatchObject({ kind: 'cluster' });
  expect(
    parseRedisUrl('rediss+sentinel://a,b:1/quotas/3?sentinelUsername=u&sentinelPassword=p%2Fw'),
  ).toMatchObject({
    kind: 'sentinel',
    hosts: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 1 },
    ],
    isEncrypted: true,
    primaryName: 'quotas',
    database: 3,
    sentinelUsername: 'u',
    sentinelPassword: 'p/w',
  });
});

const FORMS = /REDIS_URL must be redis:\/\/host:6379, /;
test.each([
  ['localhost:6379', FORMS],
  ['http://localhost:6379', FORMS],
  ['redis://', FORMS],
  ['redis:///tmp/redis.sock', FORMS],
  ['redis://localhost:port', FORMS],
  ['redis://localhost/db', FORMS],
  ['redis://localhost?enableOfflineQueue=true', FORMS],
  ['redis://:hidden-word@local host', FORMS],
  ['redis://:hidden-word%@localhost', FORMS],
  ['redis://a,,b', FORMS],
  ['redis://a,redis://b', FORMS],
  ['redis+other://a', FORMS],
  ['redis://a,b?sentinelPassword=hidden-word', FORMS],
  ['redis+sentinel://a/quotas?password=hidden-word', FORMS],
  ['redis://:hidden-word@a,b/1', /REDIS_URL must not name a database of a cluster/],
  ['redis+sentinel://:hidden-word@a,b', /REDIS_URL must name the master after the Sentinels/],
  ['redis+sentinel://a,b/', /REDIS_URL must name the master after the Sentinels/],
])('REDIS_URL=%s stops the start, and is not repeated', (url, text) => {
  const start = () => parseConfig({ REDIS_URL: url });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(text);
  expect(start).not.toThrow(/hidden-word/);
});

test('unset: counters live in MongoDB', () => {
  expect(parseConfig({ REDIS_URL: '' }).redisUrl).toBeUndefined();
});
