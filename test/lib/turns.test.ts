import { createTurns, takeTurn } from '../../src/lib/turns.js';

const HOUR_MS = 3_600_000;
const SOON_MS = 10;

/** Requests by name; `events` notes what happens to them, in order. */
function turnsOf(maxUnderWay: number, maxWaitMs = HOUR_MS) {
  const turns = createTurns(maxUnderWay, maxWaitMs);
  const events: string[] = [];
  const enter = (name: string, holder = 'key') =>
    turns.enter(
      holder,
      () => events.push(`${name} begins`),
      () => events.push(`${name} gives up`),
    );
  const givesUp = (name: string) =>
    new Promise<void>((resolve) => turns.enter('key', () => events.push(`${name} begins`), resolve));
  return { enter, events, givesUp };
}

test('requests of one holder wait for each other in order of arrival, and for no other holder', () => {
  const { enter, events } = turnsOf(2);
  const [a, b] = [enter('a'), enter('b')];
  enter('c');
  enter('d');
  enter('e', 'other');
  expect(events).toEqual(['a begins', 'b begins', 'e begins']);
  b();
  a();
  expect(events.slice(3)).toEqual(['c begins', 'd begins']);
});

test('a turn ends once, however often its end is reported', () => {
  const { enter, events } = turnsOf(1);
  const a = enter('a');
  enter('b');
  enter('c');
  a();
  a();
  expect(events).toEqual(['a begins', 'b begins']);
});

test('a holder with a free turn and one in use has that one turn left', () => {
  const { enter, events } = turnsOf(2);
  const a = enter('a');
  enter('b');
  a();
  enter('c');
  enter('d');
  expect(events).toEqual(['a begins', 'b begins', 'c begins']);
});

test('a request that goes while it waits takes no turn and does not time out', async () => {
  const { enter, events, givesUp } = turnsOf(1, SOON_MS);
  const a = enter('a');
  enter('b')();
  await givesUp('c');
  a();
  enter('d');
  expect(events).toEqual(['a begins', 'd begins']);
});

test('a request that waits too long takes no turn; one whose turn came in time does not time out', async () => {
  const { enter, events, givesUp } = turnsOf(1, SOON_MS);
  const a = enter('a');
  const b = enter('b');
  a();
  // It has waited for less long than `b` would have.
  await givesUp('c');
  b();
  enter('d');
  expect(events).toEqual(['a begins', 'b begins', 'd begins']);
});

test('takeTurn resolves with the end of the turn, or fails with 503 after the wait', async () => {
  const turns = createTurns(1, SOON_MS);
  const end = await takeTurn(turns, 'key', 'Too many uploads.');
  await expect(takeTurn(turns, 'key', 'Too many uploads.')).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'Too many uploads.',
  });
  const next = takeTurn(turns, 'key', 'Too many uploads.');
  end();
  (await next)();
  await expect(takeTurn(turns, 'key', 'Too many uploads.')).resolves.toBeInstanceOf(Function);
});

test('takeTurn fails for a signal that is aborted before, and takes no turn', async () => {
  const turns = createTurns(1, HOUR_MS);
  const gone = new Error('the client is gone');
  await expect(takeTurn(turns, 'key', 'Too many.', AbortSignal.abort(gone))).rejects.toBe(gone);
  await expect(takeTurn(turns, 'key', 'Too many.')).resolves.toBeInstanceOf(Function);
});
