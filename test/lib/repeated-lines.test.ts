import { createLogger } from '../../src/lib/logger.js';

const MINUTE_MS = 60_000;
let lines: Record<string, unknown>[];

beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
});
afterEach(() => jest.useRealTimers());

const logger = () =>
  createLogger(
    { level: 'info', pretty: false },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
const messages = () => lines.map(({ msg }) => msg);
function times(count: number, act: (i: number) => void): void {
  for (let i = 0; i < count; i += 1) act(i);
}

test('a warning that repeats is written ten times, and then counted at the end of the minute', () => {
  const log = logger();
  const child = log.child({ part: 'of the gateway' });
  times(12_355, (i) => child.warn({ requestId: `request-${i}` }, 'The store is away'));
  log.warn('Something else');
  expect(messages()).toEqual([...Array<string>(10).fill('The store is away'), 'Something else']);
  expect(lines[9]).toMatchObject({ requestId: 'request-9' });

  jest.advanceTimersByTime(MINUTE_MS);
  expect(lines.slice(11)).toEqual([
    expect.objectContaining({
      level: 40,
      part: 'of the gateway',
      repeated: 12_345,
      msg: 'The store is away (repeated 12,345 times in 60 s)',
    }),
  ]);
  child.warn('The store is away');
  expect(lines).toHaveLength(13);
});

test('what does not repeat has no second line', () => {
  const log = logger();
  times(10, () => log.error('ten times'));
  jest.advanceTimersByTime(MINUTE_MS);
  expect(lines).toHaveLength(10);
});

test('errors thrown at different places are different, also under one message', () => {
  const log = logger();
  const here = () => new Error('a');
  const there = () => new Error('b');
  times(20, () => log.error({ err: here() }, 'Failed'));
  times(20, () => log.error({ err: there() }, 'Failed'));
  expect(lines).toHaveLength(20);
});

test('lines below a warning are all written', () => {
  const log = logger();
  times(100, () => log.info('stopping'));
  expect(lines).toHaveLength(100);
});

test('the memory is bounded: a thousand messages, and all others as one', () => {
  const log = logger();
  times(2000, (i) => log.warn(`message ${i}`));
  expect(lines).toHaveLength(1010);
});
