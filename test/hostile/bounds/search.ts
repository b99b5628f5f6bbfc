import { describe, mutate, pick, randomFrom, render, times, within, type Part } from './document.js';

/** What a request took. */
export interface Measured {
  /** Processor time of the gateway, milliseconds. */
  ms: number;
  /** Units of quota that it was charged. */
  units: number;
  status: number;
}

/** A kind of request, and what a search tries to put into it. */
export interface Kind {
  name: string;
  dictionary: readonly Part[];
  /** The longest text that gets in at all. */
  maxLength: number;
  /** What a unit of quota may buy where that is not MS_PER_UNIT. */
  msPerUnit?: number;
  /** The frame around what is searched for; the text as it is unless there is one. */
  frame?: (parts: Part[]) => Part[];
  send: (text: string) => Promise<Measured>;
}

export interface Worst extends Measured {
  document: string;
  /** How much of its bound it took; 1: all of it. */
  load: number;
  tried: number;
}

/** What one request may take at most, milliseconds on the reference core. */
export const MS_PER_UNIT = 20;
export const MS_WITHOUT_CHARGE = 5;
/** With the execution: a project may show the records of 50 domains, each a command of its own, for one unit. */
export const MS_PER_EXECUTED_UNIT = 40;
/** An archive of a site is up to 12 MiB, and has to be expanded to be read. */
export const MS_PER_UPLOAD = 100;

/** The shares of the longest text that each word of the dictionary is tried at. */
const FILLS = [1, 1 / 8, 1 / 24, 1 / 80];
const SURVIVORS = 4;
/** Of those that would be a record: the least counts, the rest is what else the machine did. */
const TRIES = 3;
const CONFIRMATIONS = 5;

/**
 * Searches for what costs most: first each word of the dictionary by itself, as often as it fits and less often, then
 * changes of the worst so far. Ends early with one that takes more than `enough` times its bound.
 */
export async function findWorst(
  kind: Kind,
  options: { steps: number; seed: number; enough: number },
): Promise<Worst> {
  const random = randomFrom(options.seed);
  const { frame = (parts) => parts } = kind;
  let best: (Worst & { parts: Part[] })[] = [];
  let tried = 0;

  async function attempt(parts: Part[]): Promise<boolean> {
    const fitting = within(kind.maxLength, parts);
    const text = render(frame(fitting));
    tried += 1;
    let measured = await kind.send(text);
    const floor = best.at(0)?.load ?? 0;
    for (let i = 1; i < TRIES && loadOf(measured, kind) > floor; i++) {
      const again = await kind.send(text);
      if (loadOf(again, kind) < loadOf(measured, kind)) measured = again;
    }
    const document = describe(frame(fitting));
    best = [...best, { ...measured, load: loadOf(measured, kind), document, tried, parts: fitting }]
      .toSorted((a, b) => b.load - a.load)
      .slice(0, SURVIVORS);
    return (best[0]?.load ?? 0) > options.enough;
  }

  const first = kind.dictionary.flatMap((word) =>
    FILLS.map((share) => [filled(word, kind.maxLength * share)]),
  );
  // What is sent first also has code to compile.
  for (let i = 0; i < TRIES; i++) await kind.send(render(frame([times(1, kind.dictionary[0]?.open ?? '')])));
  const isEnough = await anyOf(first, attempt);
  for (let step = 0; step < options.steps && !isEnough; step++)
    if (await attempt(mutate(pick(random, best).parts, kind.dictionary, random))) break;

  // What was a record by chance is none any more.
  for (const candidate of best) await confirm(candidate, kind, frame);
  const [worst] = best.toSorted((a, b) => b.load - a.load);
  if (worst === undefined) throw new Error(`${kind.name}: nothing was sent`);
  const { parts: _parts, ...rest } = worst;
  return { ...rest, tried };
}

async function confirm(candidate: Worst & { parts: Part[] }, kind: Kind, frame: (parts: Part[]) => Part[]) {
  const text = render(frame(candidate.parts));
  for (let i = 0; i < CONFIRMATIONS; i++) {
    const again = await kind.send(text);
    if (loadOf(again, kind) < candidate.load) Object.assign(candidate, again, { load: loadOf(again, kind) });
  }
}

function loadOf({ ms, units }: Measured, { msPerUnit = MS_PER_UNIT }: Kind): number {
  return ms / (units > 0 ? units * msPerUnit : MS_WITHOUT_CHARGE);
}

/** The word as often as it has room; what is within another one, within one of that. */
function filled(word: Part, length: number): Part {
  const [inner] = word.within;
  if (inner !== undefined) return { ...word, within: [filled(inner, length)] };
  return { ...word, times: Math.max(1, Math.floor(length / (word.open.length + word.close.length))) };
}

async function anyOf<T>(all: readonly T[], is: (each: T) => Promise<boolean>): Promise<boolean> {
  for (const each of all) if (await is(each)) return true;
  return false;
}
