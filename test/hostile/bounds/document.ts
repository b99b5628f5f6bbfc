/**
 * What is sent, as a tree of repetitions: the worst documents repeat a short part often, or within
 * itself. `§` in a text is the number of the repetition, so that names can differ.
 */
export interface Part {
  open: string;
  /** Stands before what is within, `times` times, and `close` behind it. */
  times: number;
  close: string;
  within: readonly Part[];
}

export type Random = () => number;

export function times(count: number, open: string, close = '', ...within: Part[]): Part {
  return { open, times: count, close, within };
}

export function render(parts: readonly Part[]): string {
  return parts
    .map(
      ({ open, close, times: count, within }) => repeat(open, count) + render(within) + repeat(close, count),
    )
    .join('');
}

function repeat(text: string, count: number): string {
  return text.includes('§')
    ? Array.from({ length: count }, (_, i) => text.replaceAll('§', String(i))).join('')
    : text.repeat(count);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** One change somewhere in the tree. */
export function mutate(parts: readonly Part[], dictionary: readonly Part[], random: Random): Part[] {
  const index = Math.floor(random() * (parts.length + 1));
  const part = parts[index];
  if (part === undefined) return [...parts, anyOf(dictionary, random)];
  if (part.within.length > 0 && random() < 0.6)
    return parts.with(index, { ...part, within: mutate(part.within, dictionary, random) });
  switch (Math.floor(random() * 6)) {
    case 0:
      return parts.toSpliced(index, 0, anyOf(dictionary, random));
    case 1:
      return parts.length > 1 ? parts.toSpliced(index, 1) : [...parts, anyOf(dictionary, random)];
    case 2: {
      const other = pick(random, dictionary);
      const joined = { open: part.open + other.open, close: other.close + part.close };
      return parts.with(index, { ...part, ...joined });
    }
    case 3: {
      const around = pick(random, dictionary);
      return parts.with(index, { ...around, within: [part] });
    }
    default:
      return parts.with(index, {
        ...part,
        times: Math.max(1, Math.round(part.times * (0.4 + random() * 2))),
      });
  }
}

function anyOf(dictionary: readonly Part[], random: Random): Part {
  return { ...pick(random, dictionary), times: Math.ceil(2 ** (random() * 9)) };
}

/** The tree with its most frequent part halved until it is no longer than `most` characters. */
export function within(most: number, parts: readonly Part[]): Part[] {
  let fitting = [...parts];
  while (render(fitting).length > most) fitting = halved(fitting);
  return fitting;
}

function halved(parts: readonly Part[]): Part[] {
  const most = Math.max(...parts.flatMap(allTimes));
  if (most <= 1) return [];
  const halve = (part: Part): Part => ({
    ...part,
    times: part.times === most ? Math.floor(most / 2) : part.times,
    within: part.within.map(halve),
  });
  return parts.map(halve);
}

function allTimes({ times: count, within }: Part): number[] {
  return [count, ...within.flatMap(allTimes)];
}

/** For people: `400 × "pets{id} "`. */
export function describe(parts: readonly Part[]): string {
  return parts
    .map(({ open, times: count, close, within }) => {
      const text = JSON.stringify(close === '' ? open : `${open}…${close}`);
      return `${count} × ${text}${within.length > 0 ? ` around (${describe(within)})` : ''}`;
    })
    .join(', ');
}
