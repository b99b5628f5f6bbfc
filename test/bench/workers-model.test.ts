import { capacities, predict, type Measured } from '../../bench/workers/model.js';

const ONE: Measured = { workers: 1, workerUs: 100, primaryUs: 0, mongodUs: 50, redisUs: 0, charges: 0.05 };
const RATES = [
  { processes: 1, perSecond: 1000 },
  { processes: 6, perSecond: 2000 },
];

test('a part can do as many requests as its cores have time for', () => {
  expect(capacities(4, ONE, RATES)).toEqual({
    'the workers': 10_000,
    'the primary process': Infinity,
    MongoDB: 60_000,
    Redis: Infinity,
    'one key’s document': 20_000,
  });
  const inRedis = { ...ONE, workers: 2, redisUs: 5, charges: 0 };
  expect(capacities(4, inRedis, RATES)).toMatchObject({ MongoDB: 20_000, Redis: 200_000 });
});

test('of the numbers of workers, the one counts with which the least part can do most', () => {
  const two = { ...ONE, workers: 2, workerUs: 125, primaryUs: 4 };
  expect(predict(3, [ONE, two], RATES)).toEqual({
    cores: 3,
    workers: 2,
    requestsPerSecond: 16_000,
    limit: 'the workers',
  });
  // The document of the key takes 2,000 charges from six processes, a twentieth for each request.
  const sixteen = predict(16, [ONE, two], RATES);
  expect(sixteen).toEqual({ cores: 16, workers: 5, requestsPerSecond: 40_000, limit: 'the workers' });
  expect(predict(16, [ONE, { ...two, charges: 0.1 }], RATES)).toMatchObject({
    requestsPerSecond: 20_000,
    limit: 'one key’s document',
  });
});

test('without a core for a worker and one for the stores, there is no prediction', () => {
  expect(predict(1, [ONE], RATES)).toBeUndefined();
});
