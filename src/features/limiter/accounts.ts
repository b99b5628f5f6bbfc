import type { Clock } from '../../lib/clock.js';
import { currentTrace, inTraceOf } from '../../lib/trace-context.js';
import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import { WINDOWS, type Meter, type WindowState } from '../plans/window.js';
import { Account, type Call, type Clocks, type Waiting } from './account.js';
import { QuotaStoreError, type QuotaSource } from './limiter.js';
import { admittedOf, SAME_WINDOW_MS, type StoreDecision, type QuotaStore } from './quota-store.js';

export interface LeasePolicy {
  /** How long leased units may be used, milliseconds. The demand for them is measured over the same time. */
  leaseMs: number;
  /** Units used in `leaseMs` below which a key leases nothing. */
  leastDemand: number;
  /** A lease is at most what is left, divided by this. */
  partOfRemaining: number;
}

/**
 * A lease takes one store call, and another one if some of it is returned. So it saves little for a few requests.
 * A gateway that shares the store unknown to this one could be rejected wrongly only if it used up nearly all that is left
 * within 100 ms.
 */
export const LEASES: LeasePolicy = { leaseMs: 100, leastDemand: 8, partOfRemaining: 1000 };

export interface AccountSettings {
  clock: Clock;
  /** Milliseconds from any beginning, which nobody sets. */
  stopwatchMs?: Clock | undefined;
  /** Undefined: nothing is leased. */
  leases?: LeasePolicy | undefined;
  /** Processes that share the store: without it, each admits its share of what is left. */
  shares?: number;
  /** How long one call of the store may take, milliseconds. */
  callTimeoutMs?: number | undefined;
  /** How long a request waits for the store, for all its calls. */
  requestTimeoutMs?: number | undefined;
}

/**
 * Accounts that this process keeps. One that is forgotten costs a store call. One that is needed is kept: there can be
 * more of those only in an outage in which more keys are used.
 */
const MAX_ACCOUNTS = 50_000;
/** How many accounts are looked at for each new one. */
const MAX_LOOKS = 100;
const CALL_TIMEOUT_MS = 2000;
const DOWN = new QuotaStoreError(new Error('the store is down'));
/** Costs that go to the store as one. */
const MAX_GROUP = 1000;
/** How long a reading waits for the return of leased units, milliseconds. Then they look used. */
const READING_WAIT_MS = 500;
/** The same for a reading that would reject, which may wait as long as for one call, and for the end of the process. */
const REJECTION_WAIT_MS = 2000;

/** When what is admitted without the store is settled. */
export interface Mode {
  /** Whether the store is down: nothing is asked of it, but settlements. */
  isDown: boolean;
  /** The store answers, and local limits stay in force until the other processes have settled. */
  isHolding: boolean;
  isClosed: boolean;
}

export interface Accounts extends QuotaSource {
  mode: Mode;
  /** Decides without the store. */
  local: QuotaSource;
  /** Called when the store fails to answer requests. */
  onFailure: (error: unknown) => void;
  /** Fails all requests that wait for the store: those that found out that it failed first. */
  giveUp(error: unknown): void;
  /** The windows, if they certainly reject everything: from memory. */
  remembered(meter: Meter): WindowState[] | undefined;
  /** The windows as this process counts them without the store. */
  localStates(meter: Meter, cost?: number): readonly WindowState[];
  /** Accounts with units between this process and the store, or that were charged without it. */
  unsettled(): Account[];
  /** Brings the units between this process and the store to zero. @throws QuotaStoreError */
  settle(account: Account): Promise<void>;
  /** Leases nothing more, and returns what is leased, if the store takes it in time. */
  close(): Promise<void>;
}

/**
 * The accounts of all keys over one store. The requests of a key go to the store one group at a time: those that arrive
 * together, or while a group is decided, form one. A rejection that is certain from the counts that this process last saw
 * asks no store.
 *
 * A store that does not answer in time fails the group. If it answers later, what it admitted for the group is taken
 * back, because the requests were decided otherwise. What it decided more than SAME_WINDOW_MS before stays counted, and
 * so do leased units if this process reads the store's answer that late: the end of their window is then unknown.
 *
 * With leases, the store counts units of a busy key in advance, as many as were used in the last 100 ms. Requests then use
 * them without a store call. What is not used within 100 ms is returned. Leased units are counted, as durably as others,
 * so never more than the limit is admitted. Alone on the store, requests are rejected as they would be without leases:
 * before a rejection or a reading, the rest of the lease is returned. `remaining` never overstates. To other processes,
 * leased units look used. A process that is killed takes its units along until their window ends.
 */
export function createAccounts(
  store: QuotaStore,
  {
    clock,
    stopwatchMs = () => performance.now(),
    leases,
    shares = 1,
    callTimeoutMs = CALL_TIMEOUT_MS,
    requestTimeoutMs = Infinity,
  }: AccountSettings,
): Accounts {
  const accounts = new Map<string, Account>();
  const clocks: Clocks = { clock, stopwatchMs, alignedEndsMs: new Map() };
  /** With requests that wait for the store. */
  const busy = new Set<Account>();
  const begun = new Set<Account>();
  /** What fails the readings in progress. */
  const readings = new Set<(error: unknown) => void>();
  const mode: Mode = { isDown: false, isHolding: false, isClosed: false };

  function accountOf(meter: Meter): Account {
    let account = accounts.get(meter.id);
    if (account === undefined) {
      forgetOldest();
      accounts.set(meter.id, (account = new Account(meter, clocks)));
    }
    return account;
  }

  function forgetOldest(): void {
    let looks = 0;
    for (const [id, account] of accounts) {
      if (accounts.size < MAX_ACCOUNTS || looks === MAX_LOOKS) return;
      looks += 1;
      accounts.delete(id);
      if (account.isNeeded()) accounts.set(id, account);
    }
  }

  /**
   * Lets the requests of this turn of the event loop join before the first of them goes to the store. The accounts go on
   * in one callback, so that their groups are one batch for the store.
   */
  function begin(account: Account): void {
    if (account.turn !== undefined) return;
    account.turn = {};
    busy.add(account);
    if (begun.size === 0)
      setImmediate(() => {
        const all = [...begun];
        begun.clear();
        for (const one of all) if (one.turn !== undefined) void serve(one, one.turn);
      });
    begun.add(account);
  }

  async function serve(account: Account, turn: object): Promise<void> {
    let group: Waiting[] = [];
    try {
      // The turn ends when the requests are given up. Those that come later begin another one.
      while (account.turn === turn && (account.waiting.length > 0 || unitsToLease(account) > 0))
        if (mustSettleFirst(account)) await answerInTime(account, settle(account));
        else if (account.waiting.length === 0) await decide([], account);
        else await inTraceOf((group = takeGroup(account)), decide, account);
    } catch (error) {
      // Those of the group that the store was never asked about wait in no other list.
      for (const { reject } of group) reject(error);
      if (account.turn === turn) fail(account, error);
    }
    if (account.turn !== turn) return;
    account.turn = undefined;
    busy.delete(account);
  }

  function mustSettleFirst(account: Account): boolean {
    if (account.settling !== undefined || account.hasLocal()) return true;
    return account.leased(account.meter) > 0 && (account.readings > 0 || account.waiting.some(isExact));
  }

  /** @throws QuotaStoreError if the request that waits longest would wait too long */
  function answerInTime<T>(account: Account, answer: Promise<T>): Promise<T> {
    const [first] = account.call?.asking ?? account.waiting;
    const waitedMs = first === undefined ? 0 : performance.now() - first.sinceMs;
    // A stall of this process is no failure of the store.
    const leftMs = Math.max(requestTimeoutMs - waitedMs, requestTimeoutMs / 4);
    return bounded(answer, account.call === undefined ? leftMs : Math.min(leftMs, callTimeoutMs));
  }

  function takeGroup(account: Account): Waiting[] {
    const [first] = account.waiting;
    const others = account.waiting.findIndex(({ meter }) => !isSame(meter, first?.meter ?? meter));
    return account.waiting.splice(0, Math.min(MAX_GROUP, others === -1 ? MAX_GROUP : others));
  }

  async function decide(group: readonly Waiting[], account: Account): Promise<void> {
    const meter = group[0]?.meter ?? account.meter;
    const rejecting = account.rejecting(meter);
    if (rejecting !== undefined)
      for (const { resolve } of group) resolve({ admitted: false, windows: rejecting });
    const asking = rejecting === undefined ? group : [];
    const leased = asking.some(isExact) ? 0 : unitsToLease(account, meter);
    if (asking.length === 0 && leased === 0) return;
    const costs = asking.map(({ cost }) => cost);
    if (leased > 0) costs.push(leased);
    const asked: Asked = { meter, costs, askedAtMs: stopwatchMs() };
    const deciding = store.decide(meter, costs, account.countsForStore(meter));
    const call: Call = { asking, leased, done: deciding };
    account.call = call;
    let outcome: StoreDecision;
    try {
      outcome = await answerInTime(account, deciding);
    } catch (error) {
      void deciding.then((late) => takeBack(account, asked, late)).catch(() => undefined);
      // Nobody waits for it any more.
      if (account.call !== call) return;
      throw error;
    }
    if (account.call !== call) {
      takeBack(account, asked, outcome);
      return;
    }
    account.call = undefined;
    answer(account, asked, call, outcome);
  }

  function answer(
    account: Account,
    { meter, costs, askedAtMs }: Asked,
    { asking, leased }: Call,
    { free, windows: counts }: StoreDecision,
  ): void {
    const { admitted } = admittedOf(costs, free);
    const hadLeased = account.leased(meter) > 0 || leased > 0;
    account.see(meter, counts, askedAtMs);
    if (leases !== undefined) {
      const untilMs = stopwatchMs() + leases.leaseMs;
      account.lease(meter, leased > 0 && admitted[asking.length] === true ? leased : 0, untilMs);
      if (leased > 0) awaitEnd(account, leases.leaseMs);
    }
    const windows = account.states(meter, counts);
    const again: Waiting[] = [];
    // The counts can be of a window that began after the decision.
    const fits = (cost: number) => windows.every(({ remaining }) => cost <= remaining);
    for (const [i, waiting] of asking.entries())
      if (admitted[i] === true) waiting.resolve({ admitted: true, windows });
      else if ((hadLeased && !waiting.isExact) || fits(waiting.cost)) again.push(waiting);
      else waiting.resolve({ admitted: false, windows });
    for (const waiting of again) waiting.isExact = true;
    account.waiting.unshift(...again);
  }

  /** Takes back what the store counted for requests that nobody waits for. If that fails, they stay counted. */
  function takeBack(
    account: Account,
    { meter, costs, askedAtMs }: Asked,
    { free, windows }: StoreDecision,
  ): void {
    const { units } = admittedOf(costs, free);
    if (units === 0) return;
    const leftMs = windows.map(({ msBeforeNext }) => msBeforeNext);
    const waitedMs = stopwatchMs() - askedAtMs;
    // By now, the next window can run, and end as theirs seems to.
    const taken = meter.windows.map(({ name }) =>
      waitedMs < WINDOWS[name].lengthMs - SAME_WINDOW_MS ? -units : 0,
    );
    void add(account, meter, taken, leftMs).catch(() => undefined);
  }

  async function add(
    account: Account,
    meter: Meter,
    units: readonly number[],
    leftMs: readonly number[],
    follows?: boolean,
  ): Promise<void> {
    const askedAtMs = stopwatchMs();
    const added = store.add(meter, units, leftMs, account.countsForStore(meter), follows);
    account.seeUnlessNewer(meter, await bounded(added, callTimeoutMs), askedAtMs, true);
  }

  function settle(account: Account): Promise<void> {
    account.settling ??= settleOnce(account);
    return account.settling;
  }

  /** Ends the local limits of the key if the store is up. @throws QuotaStoreError what was spent is still to settle */
  async function settleOnce(account: Account): Promise<void> {
    try {
      do await addUnits(account);
      while ((mode.isHolding || !mode.isDown || mode.isClosed) && account.hasUnits());
      if (!mode.isDown) account.endLocal();
    } finally {
      // In the step that found nothing left: what is admitted later is settled by another one.
      account.settling = undefined;
    }
  }

  async function addUnits(account: Account): Promise<void> {
    if (!account.hasUnits()) return;
    const isReturn = !account.hasLocal();
    const { meter, units, leftMs, follows, putBack } = account.takeUnits();
    try {
      await add(account, meter, units, leftMs, follows);
    } catch (error) {
      // Whether the store has them is unknown. Counted twice, they reject too much; forgotten, they admit too much.
      putBack();
      if (!isReturn) throw error;
    }
  }

  /** Waits until the store counts only what was spent. Meanwhile nothing is leased. */
  async function flat(account: Account): Promise<void> {
    while (account.isLive())
      if (account.settling === undefined && account.call !== undefined)
        await account.call.done.catch(() => undefined);
      else await settle(account);
  }

  function noteDemand({ demand }: Account, leaseMs: number, units: number): void {
    const nowMs = stopwatchMs();
    const ageMs = nowMs - demand.sinceMs;
    if (ageMs >= leaseMs) {
      demand.unitsBefore = ageMs < 2 * leaseMs ? demand.units : 0;
      demand.units = 0;
      demand.sinceMs = nowMs;
    }
    demand.units += units;
  }

  /** Leases more if less than half of the demand is left. */
  function unitsToLease(account: Account, meter = account.meter): number {
    if (leases === undefined || mode.isClosed || mode.isDown || account.readings > 0) return 0;
    const { leastDemand, partOfRemaining } = leases;
    const demand = Math.max(account.demand.units, account.demand.unitsBefore);
    if (demand < leastDemand || !mayLease(meter, leases) || account.hasOtherEpochs(meter)) return 0;
    const left = account.leased(meter);
    if (left > demand / 2) return 0;
    const counts = account.counts(meter);
    if (counts.some(({ msBeforeNext }) => msBeforeNext <= 0)) return 0;
    const remaining = Math.min(...counts.map(({ remainingPoints }) => remainingPoints));
    const more = Math.min(demand, Math.floor(remaining / partOfRemaining)) - left;
    return more < leastDemand / 2 ? 0 : more;
  }

  function awaitEnd(account: Account, leftMs: number): void {
    account.timer ??= setTimeout(() => {
      account.timer = undefined;
      if (account.leased(account.meter) === 0 || mode.isDown) return;
      const stillMs = account.leasedUntilMs - stopwatchMs();
      // An answer of the store that is on its way counts the units: returned now, they would look used. It renews the lease.
      if (stillMs > 0 || account.turn !== undefined) awaitEnd(account, Math.max(1, stillMs));
      else void settle(account).catch(() => undefined);
    }, leftMs).unref();
  }

  function fail(account: Account, error: unknown): void {
    // Requests that wait behind a store that failed would only wait for it to fail again.
    for (const { reject } of detached(account)) reject(error);
    if (error instanceof QuotaStoreError) accountsOfStore.onFailure(error);
  }

  /** Takes the requests from the store: the process returns what it counts of them later. */
  function detached(account: Account): Waiting[] {
    const asking = account.call?.asking ?? [];
    account.call = account.turn = undefined;
    busy.delete(account);
    return [...asking, ...account.waiting.splice(0)];
  }

  async function readExactly(meter: Meter, cost: number | undefined): Promise<readonly WindowState[]> {
    const account = accountOf(meter);
    let waitMs = READING_WAIT_MS;
    if (account.hasLocal()) await settle(account);
    else if (cost !== undefined) {
      const spent = account.spendLeased(meter, cost, true);
      if (spent !== undefined) return spent;
      const wasLive = account.isLive();
      const windows = await readStore(account, meter);
      if (windows.every(({ remaining }) => cost <= remaining) || !(wasLive || account.isLive()))
        return windows;
      waitMs = REJECTION_WAIT_MS;
    }
    account.readings += 1;
    try {
      if (account.isLive()) {
        // A new lease takes new demand: readings and charges by turns would otherwise lease and return.
        account.demand = { sinceMs: -Infinity, units: 0, unitsBefore: 0 };
        await withTimeout(flat(account), waitMs).catch(() => undefined);
      }
      return await readStore(account, meter);
    } finally {
      account.readings -= 1;
    }
  }

  const toRead: Reading[] = [];

  function readStore(account: Account, meter: Meter): Promise<readonly WindowState[]> {
    return new Promise((resolve, reject) => {
      if (toRead.push({ account, meter, trace: currentTrace(), resolve, reject }) === 1)
        process.nextTick(() => void inTraceOf(toRead.splice(0), readTogether, undefined));
    });
  }

  /** Readings of one turn of the event loop are one call of the store. */
  async function readTogether(asked: readonly Reading[]): Promise<void> {
    try {
      const askedAtMs = stopwatchMs();
      const counts = await bounded(store.read(asked.map(({ meter }) => meter)), callTimeoutMs);
      for (const [i, { account, meter, resolve }] of asked.entries()) {
        account.seeUnlessNewer(meter, counts[i] ?? [], askedAtMs, false);
        resolve(account.states(meter, counts[i] ?? []));
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  const accountsOfStore: Accounts = {
    mode,
    onFailure: () => undefined,
    charge(meter, cost) {
      if (mode.isDown) return Promise.reject(DOWN);
      const account = accountOf(meter);
      account.meter = meter;
      if (leases !== undefined && mayLease(meter, leases)) {
        noteDemand(account, leases.leaseMs, cost);
        const windows = account.spendLeased(meter, cost);
        if (windows !== undefined) {
          if (account.turn === undefined && unitsToLease(account) > 0) begin(account);
          return Promise.resolve({ admitted: true, windows });
        }
      }
      const isExactCharge = account.hasOtherEpochs(meter);
      return new Promise((resolve, reject) => {
        const sinceMs = performance.now();
        const trace = currentTrace();
        account.waiting.push({ meter, cost, sinceMs, isExact: isExactCharge, trace, resolve, reject });
        begin(account);
      });
    },
    read(meter, cost) {
      if (mode.isDown) return Promise.reject(DOWN);
      return new Promise((resolve, reject) => {
        readings.add(reject);
        void bounded(readExactly(meter, cost), requestTimeoutMs)
          .catch((error: unknown) => {
            // Not if it was given up before.
            if (readings.has(reject) && error instanceof QuotaStoreError) accountsOfStore.onFailure(error);
            throw error;
          })
          .then(resolve, reject)
          .finally(() => readings.delete(reject));
      });
    },
    local: {
      charge(meter, cost) {
        const account = accountOf(meter);
        const charge = account.decideLocally(meter, cost, shares);
        // The store answers, and others may be back at it, or it came back since it failed.
        if (charge.admitted && (mode.isHolding || !mode.isDown))
          void settle(account).catch((error: unknown) => accountsOfStore.onFailure(error));
        return Promise.resolve(charge);
      },
      read: (meter, cost) => Promise.resolve(accountsOfStore.localStates(meter, cost)),
    },
    giveUp(error) {
      const given = [
        ...[...busy].flatMap((account) => detached(account).map(({ reject }) => reject)),
        ...readings,
      ];
      readings.clear();
      setImmediate(() => {
        for (const reject of given) reject(error);
      });
    },
    remembered: (meter) => accounts.get(meter.id)?.rejecting(meter),
    localStates: (meter, cost = 0) => accountOf(meter).decideLocally(meter, cost, shares, true).windows,
    unsettled: () => [...accounts.values()].filter((account) => account.isUnsettled()),
    settle,
    async close() {
      mode.isClosed = true;
      const live = [...accounts.values()].filter((account) => account.isLive());
      await withTimeout(Promise.allSettled(live.map(flat)), REJECTION_WAIT_MS).catch(() => undefined);
      for (const { timer } of accounts.values()) clearTimeout(timer);
    },
  };
  return accountsOfStore;
}

/** What a group asked of the store. */
interface Asked {
  meter: Meter;
  costs: readonly number[];
  askedAtMs: number;
}

interface Reading extends Pick<Waiting, 'meter' | 'reject' | 'trace'> {
  account: Account;
  resolve: (windows: readonly WindowState[]) => void;
}

const mayLease = ({ windows }: Meter, { leastDemand, partOfRemaining }: LeasePolicy): boolean =>
  windows.every(({ limit }) => limit >= leastDemand * partOfRemaining);

const isExact = (waiting: Waiting): boolean => waiting.isExact;

/** @throws QuotaStoreError if there is no answer in time; errors of `answer` */
async function bounded<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  if (timeoutMs === Infinity) return answer;
  try {
    return await withTimeout(answer, timeoutMs);
  } catch (error) {
    throw error instanceof TimeoutError ? new QuotaStoreError(error) : error;
  }
}

/** Whether they have the same windows with the same limits. */
function isSame(one: Meter, other: Meter): boolean {
  return (
    one === other ||
    (one.windows.length === other.windows.length &&
      one.windows.every(({ name, epoch, limit }, i) => {
        const same = other.windows[i];
        return same?.name === name && same.epoch === epoch && same.limit === limit;
      }))
  );
}
