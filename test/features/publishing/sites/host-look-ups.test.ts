import { createClientLimiter } from '../../../../src/features/limiter/client-limiter.js';
import { createHostLookUps } from '../../../../src/features/publishing/sites/host-look-ups.js';

const [CLIENT, OTHER] = ['203.0.113.7', '198.51.100.1'];
const nothing = () => Promise.resolve(undefined);
const something = () => Promise.resolve({});

function withLimit(limit: number) {
  const clock = () => 0;
  const anonymous = createClientLimiter(limit, clock);
  return { lookUp: createHostLookUps({ anonymous, clock }), left: () => anonymous.peek(CLIENT).remaining };
}

test('a process has eight look-ups in progress at most; each that ends lets another begin', async () => {
  const { lookUp } = withLimit(100);
  const ends: (() => void)[] = [];
  let begun = 0;
  const held = () => {
    begun += 1;
    return new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
  };
  const looks = Array.from({ length: 20 }, (_, i) => lookUp(held, i % 2 === 0 ? CLIENT : OTHER));
  for (const expected of [8, 16, 20]) {
    await new Promise(setImmediate);
    expect(begun).toBe(expected);
    for (const end of ends.splice(0)) end();
  }
  await Promise.all(looks);
});

test('look-ups that never end give up their turns, and their clients pay nothing', async () => {
  jest.useFakeTimers({ doNotFake: ['queueMicrotask', 'nextTick'] });
  try {
    const { lookUp, left } = withLimit(100);
    let [failed, found] = [0, 0];
    for (let i = 0; i < 8; i++) lookUp(() => new Promise(() => undefined), CLIENT).catch(() => (failed += 1));
    await jest.advanceTimersByTimeAsync(6000);
    expect([failed, left()]).toEqual([8, 100]);
    void lookUp(something, CLIENT).then(() => (found += 1));
    await jest.advanceTimersByTimeAsync(1);
    expect(found).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});

test('a look-up that finds something, or fails, costs nothing', async () => {
  const { lookUp, left } = withLimit(1);
  await lookUp(something, CLIENT);
  await expect(lookUp(() => Promise.reject(new Error('no database')), CLIENT)).rejects.toThrow('no database');
  expect(left()).toBe(1);
  await lookUp(nothing, CLIENT);
  expect(left()).toBe(0);
});

test('beyond its limit a client is refused at once, before any wait; others and look-ups without a client go on', async () => {
  const { lookUp } = withLimit(1);
  await lookUp(nothing, CLIENT);
  let looks = 0;
  const counted = () => {
    looks += 1;
    return something();
  };
  expect(() => lookUp(counted, CLIENT)).toThrow('More than 1 request a minute');
  expect(looks).toBe(0);
  await lookUp(counted, OTHER);
  await lookUp(counted, undefined);
  expect(looks).toBe(2);
});

test('concurrent look-ups of a client do not exceed its limit', async () => {
  const { lookUp } = withLimit(3);
  let looks = 0;
  const counted = () => {
    looks += 1;
    return nothing();
  };
  const ask = async () => lookUp(counted, CLIENT);
  const results = await Promise.allSettled(Array.from({ length: 10 }, ask));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect(looks).toBe(3);
});
