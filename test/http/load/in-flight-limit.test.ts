import { setTimeout as delay } from 'node:timers/promises';
import { createBodyPlaces } from '../../../src/http/load/body-places.js';
import {
  createInFlightLimit,
  type InFlightSettings,
  type LoadState,
  type OverloadReason,
} from '../../../src/http/load/in-flight-limit.js';
import { until } from '../../support/until.js';

const IN_FLIGHT = 64;
const MAX_IN_FLIGHT = 70;

const limits: ReturnType<typeof createInFlightLimit>[] = [];
afterEach(() => {
  for (const limit of limits.splice(0)) limit.close();
});

/** A limit with this number of requests in flight. */
function limitOf(maxInFlight: number, inFlight = 0, settings: Partial<InFlightSettings> = {}) {
  const overloads: [OverloadReason, Partial<LoadState>][] = [];
  const recoveries: Partial<LoadState>[] = [];
  const limit = createInFlightLimit({
    maxInFlight,
    maxEventLoopDelayMs: 50,
    onOverload: (reason, state) => overloads.push([reason, { ...state }]),
    onRecovery: (state) => recoveries.push({ ...state }),
    ...settings,
  });
  limits.push(limit);
  for (let i = 0; i < inFlight; i++) limit.enter();
  return {
    start: () => limit.start(),
    enter: (client?: string) => limit.enter(client),
    turnedAway: () => limit.turnedAway(),
    state: () => limit.state(),
    overloads,
    recoveries,
  };
}

/** Stops the event loop without keeping the processor busy. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a late event loop', () => {
  test('halves the limit at each review, and the limit grows by half in each step while requests are still rejected', async () => {
    const limit = limitOf(MAX_IN_FLIGHT, IN_FLIGHT);
    const idle = limitOf(MAX_IN_FLIGHT, 2);
    const small = limitOf(2, 2);
    const indifferent = limitOf(MAX_IN_FLIGHT, IN_FLIGHT, { maxEventLoopDelayMs: 0 });
    for (const { start } of [limit, idle, small, indifferent]) start();
    let halved = MAX_IN_FLIGHT;
    while ([limit, idle, small, indifferent].some(({ state }) => state().eventLoopDelayMs === 0)) {
      blockFor(150);
      await delay(1);
      if (halved === MAX_IN_FLIGHT) halved = limit.state().limit;
    }
    // Half of the requests that were in flight, but never less than 4, or all places if there are fewer.
    expect([halved, idle.state().limit, small.state().limit]).toEqual([IN_FLIGHT / 2, 4, 2]);
    expect(indifferent.state().limit).toBe(MAX_IN_FLIGHT);
    expect(indifferent.state().eventLoopDelayMs).toBeGreaterThan(50);
    expect(indifferent.state().eventLoopDelayMs).toBeLessThan(10_000);

    let steps = 0;
    while (steps < 2) {
      const before = limit.state().limit;
      // Rejected, because more requests are in flight than the limit.
      expect(limit.enter()).toBeUndefined();
      await delay(1);
      const { limit: after } = limit.state();
      if (after <= before) continue;
      expect(after).toBe(Math.min(MAX_IN_FLIGHT, Math.ceil(before * 1.5)));
      steps = after >= IN_FLIGHT ? 2 : steps + 1;
    }
    const [[reason, first] = []] = limit.overloads;
    expect(reason).toBe('event loop delay');
    expect(first).toMatchObject({ full: false, overloaded: true, overloads: 1, shed: 1 });
    // Nothing was rejected here, so the first review in time gives all places back.
    await until('all places', () => Promise.resolve(idle.state().limit === MAX_IN_FLIGHT));
  });
});

describe('an overload', () => {
  test('is reported once with its reason and ends at a review without a rejected request', async () => {
    const { enter, start, state, overloads, recoveries } = limitOf(3, 2);
    const last = enter();
    start();
    for (let i = 0; i < 3; i++) expect(enter()).toBeUndefined();
    expect(overloads).toEqual([['requests in flight', expect.objectContaining({ shed: 1, full: true })]]);
    expect(state()).toMatchObject({ inFlight: 3, limit: 3, overloaded: true, overloads: 1, shed: 3 });
    await until('the end of the overload', () => Promise.resolve(recoveries.length > 0));
    // All places are still taken.
    expect(recoveries).toEqual([expect.objectContaining({ overloaded: false, full: true, shed: 3 })]);
    last?.leave();
    last?.leave();
    expect(state().inFlight).toBe(2);
    await until('room', () => Promise.resolve(!state().full));
    expect(recoveries).toHaveLength(1);
    expect(enter()).toBeDefined();
    expect(enter()).toBeUndefined();
    expect(overloads).toHaveLength(2);
  });

  test('of one key is reported as such, and the gateway is not full', () => {
    const { turnedAway, state, overloads } = limitOf(3, 2);
    turnedAway();
    expect(overloads).toEqual([['requests of one key', expect.objectContaining({ shed: 1 })]]);
    expect(state()).toMatchObject({ inFlight: 2, full: false });
  });
});

test('a maximum of 0 is no limit', () => {
  const { enter, state } = limitOf(0, 1000);
  expect(enter('a')).toBeDefined();
  expect(state()).toMatchObject({ inFlight: 1001, limit: Infinity, shed: 0 });
});

describe('requests without a key', () => {
  test('get a quarter of all places together, and each client a sixteenth', () => {
    const { enter, overloads } = limitOf(32, 10);
    const admitted = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'd', 'e'].map(
      (client) => enter(client) !== undefined,
    );
    expect(admitted).toEqual([true, true, false, true, true, false, true, true, true, true, false]);
    expect(overloads).toEqual([['requests without a key', expect.objectContaining({ full: false })]]);
    for (let i = 0; i < 14; i++) expect(enter()).toBeDefined();
    expect(enter()).toBeUndefined();
  });

  test('leave their part when they end or their key turns out to be valid, once', () => {
    const { enter, state } = limitOf(32);
    const [first, second] = [enter('a'), enter('a')];
    expect(enter('a')).toBeUndefined();
    expect(first?.holdFor({ kind: 'project', id: 'p' })).toBe(true);
    first?.leave();
    first?.leave();
    expect(state().inFlight).toBe(1);
    const third = enter('a');
    expect(third).toBeDefined();
    expect(enter('a')).toBeUndefined();
    for (const place of [second, third]) place?.leave();
    for (const client of ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd']) expect(enter(client)).toBeDefined();
    expect(enter('e')).toBeUndefined();
    expect(state().inFlight).toBe(8);
  });

  test('get one place at least', () => {
    const { enter } = limitOf(2);
    expect(enter('a')).toBeDefined();
    expect(enter('b')).toBeUndefined();
    expect(enter()).toBeDefined();
  });
});

describe('requests with a key', () => {
  const project = (id: string) => ({ kind: 'project' as const, id });

  test('of one project have three quarters of the places, and its sessions a sixteenth', () => {
    const { enter, overloads, state } = limitOf(32);
    const admitted = (
      holder: Parameters<NonNullable<ReturnType<typeof enter>>['holdFor']>[0],
      count: number,
    ) => Array.from({ length: count }, () => enter()?.holdFor(holder)).filter((held) => held === true).length;
    expect(admitted(project('a'), 30)).toBe(24);
    expect(admitted({ kind: 'session', id: 'a' }, 3)).toBe(2);
    expect(overloads).toEqual([['requests of one project', expect.objectContaining({ full: false })]]);
    // What was not admitted holds no place.
    expect(state().inFlight).toBe(26);
    expect(admitted(project('b'), 10)).toBe(6);
    expect(state().inFlight).toBe(32);
  });

  test('leave their places while their bodies are on the way, and take one again if there is one', () => {
    const { enter, state } = limitOf(4);
    const [first, second] = [enter(), enter()];
    for (const place of [first, second]) place?.holdFor(project('a'));
    expect(first?.awaitBody(() => undefined)).toBe(true);
    expect(state()).toMatchObject({ inFlight: 1, receiving: 1, received: 1 });
    expect(first?.bodyArrived()).toBe(true);
    expect(state()).toMatchObject({ inFlight: 2, receiving: 0 });
    expect(second?.awaitBody(() => undefined)).toBe(true);
    for (let i = 0; i < 3; i++) expect(enter()).toBeDefined();
    expect(second?.bodyArrived()).toBe(false);
    for (const place of [first, second]) place?.leave();
    expect(state()).toMatchObject({ inFlight: 3, receiving: 0 });
  });
});

describe('bodies on the way', () => {
  /** Eight places for keys, and two for clients. */
  const bodiesOf = () => createBodyPlaces(22);
  const client = (id: string) => ({ kind: 'client' as const, id });
  const project = (id: string) => ({ kind: 'project' as const, id });
  const ignore = () => undefined;

  test('of one holder may take all places; a holder with fewer takes the oldest of the holder with most', () => {
    const bodies = bodiesOf();
    const givenUp: string[] = [];
    const enter = (id: string, name: string) => bodies.enter(project(id), () => void givenUp.push(name));
    for (let i = 0; i < 8; i++) expect(enter('a', `a${i}`)).toBeDefined();
    expect(enter('a', 'a8')).toBeUndefined();
    expect(givenUp).toEqual([]);
    const names = ['b0', 'b1', 'b2', 'b3', 'b4'];
    const entered = names.map((name) => enter('b', name) !== undefined);
    expect(entered).toEqual([true, true, true, true, false]);
    expect(givenUp).toEqual(['a0', 'a1', 'a2', 'a3']);
    expect(enter('c', 'c0')).toBeDefined();
    expect(givenUp).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  });

  test('of clients and of keys have places of their own, and a place that was left is free, once', () => {
    const bodies = bodiesOf();
    const leave = bodies.enter(client('1'), ignore);
    expect(bodies.enter(client('1'), ignore)).toBeDefined();
    expect(bodies.enter(client('1'), ignore)).toBeUndefined();
    for (let i = 0; i < 8; i++) expect(bodies.enter(project('a'), ignore)).toBeDefined();
    leave?.();
    leave?.();
    expect(bodies.enter(client('1'), ignore)).toBeDefined();
    expect(bodies.enter(client('1'), ignore)).toBeUndefined();
  });

  test('without a limit of requests have none either', () => {
    const bodies = createBodyPlaces(Infinity);
    for (let i = 0; i < 100; i++) expect(bodies.enter(client('1'), ignore)).toBeDefined();
  });
});
