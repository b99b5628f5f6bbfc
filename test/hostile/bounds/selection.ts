import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { pick, type Random } from './document.js';

/** A field of an operation, with what a search changes: how often it is there, its numbers, and what is below it. */
export interface Selection {
  field: string;
  /** How many times, each under a name of its own. */
  times: number;
  /** The size of a page, or how many days; undefined where the field takes neither. */
  size?: number;
  /** The rest of its arguments, as text. */
  fixed: string;
  sizes?: 'first' | 'limit' | 'days' | 'last';
  below: readonly Selection[];
}

const DAY_MS = 86_400_000;
const MOST: Record<NonNullable<Selection['sizes']>, number> = {
  first: 100,
  limit: 100,
  last: 100,
  days: 366,
};

type Fields = GraphQLField<unknown, unknown>;
/** A value for an argument of this name, as text; undefined: leave it out. */
export type ValueOf = (name: string, field: string) => string | undefined;

export function render(selections: readonly Selection[]): string {
  let names = 0;
  const all = (each: readonly Selection[]): string => each.flatMap((one) => repeated(one)).join(' ');
  const repeated = (one: Selection): string[] =>
    Array.from({ length: one.times }, (_, i) => {
      const below = one.below.length === 0 ? '' : `{${all(one.below)}}`;
      const name = one.times === 1 ? one.field : `a${names++}:${one.field}`;
      return `${name}${argumentsOf(one, i)}${below}`;
    });
  return all(selections);
}

/** Each under its own name asks for something else, so that nobody answers several at once. */
function argumentsOf({ size, sizes, fixed }: Selection, i: number): string {
  const given = [fixed];
  if (sizes === 'days' && size !== undefined)
    given.push(`from:"${new Date(Date.now() - (Math.max(1, size - i) - 1) * DAY_MS).toISOString()}"`);
  else if (sizes !== undefined && size !== undefined)
    given.push(`${sizes}:${Math.max(1, size - (i % size))}`);
  const text = given.filter((one) => one !== '').join(' ');
  return text === '' ? '' : `(${text})`;
}

/** Every way from a root field to an object below it, no type twice, with all plain fields at its end. */
export function waysFrom(root: Fields, valueOf: ValueOf): Selection[] {
  const ways: Selection[] = [];
  const go = (field: Fields, above: (end: Selection) => Selection, seen: readonly string[]) => {
    const type = getNamedType(field.type);
    const self = selectionOf(field, valueOf);
    if (!isObjectType(type)) {
      ways.push(above(self));
      return;
    }
    if (seen.includes(type.name)) return;
    const plain = plainFields(type, valueOf);
    if (plain.length > 0) ways.push(above({ ...self, below: plain }));
    for (const next of Object.values(type.getFields()))
      if (isObjectType(getNamedType(next.type)))
        go(next, (end) => above({ ...self, below: [end] }), [...seen, type.name]);
  };
  go(root, (end) => end, []);
  return ways;
}

function plainFields(type: GraphQLObjectType, valueOf: ValueOf): Selection[] {
  return Object.values(type.getFields())
    .filter((field) => !isObjectType(getNamedType(field.type)))
    .map((field) => selectionOf(field, valueOf));
}

function selectionOf(field: Fields, valueOf: ValueOf): Selection {
  const names = field.args.map(({ name }) => name);
  const sizes = (['first', 'limit', 'last'] as const).find((name) => names.includes(name));
  const kind = sizes ?? (names.includes('from') ? 'days' : undefined);
  const fixed = field.args
    .filter(({ name }) => name !== kind)
    .map(
      ({ name, type }) => [name, valueOf(name, field.name) ?? required(type, field.name, valueOf)] as const,
    )
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`)
    .join(' ');
  return { field: field.name, times: 1, fixed, below: [], ...(kind && { sizes: kind, size: MOST[kind] }) };
}

/** A value that is valid where one must be given. */
function required(type: GraphQLInputType, field: string, valueOf: ValueOf): string | undefined {
  if (!isNonNullType(type)) return undefined;
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (!isInputObjectType(named)) return named.name === 'ID' || named.name === 'String' ? '"x"' : '1';
  const members = Object.values(named.getFields())
    .map((member) => [member.name, valueOf(member.name, field) ?? required(member.type, field, valueOf)])
    .filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${name}:${value}`).join(' ')}}`;
}

/** The same with one number larger or smaller, or a part left out. */
export function vary(selection: Selection, random: Random): Selection {
  const { below, sizes, size } = selection;
  if (below.length > 0 && random() < 0.7) {
    const inner = pick(
      random,
      below.filter((one) => one.below.length > 0 || one.sizes !== undefined),
    );
    const target = (inner as Selection | undefined) ?? pick(random, below);
    return { ...selection, below: below.map((one) => (one === target ? vary(one, random) : one)) };
  }
  const scaled = (count: number, most: number) =>
    Math.min(most, Math.max(1, Math.round(count * (random() < 0.5 ? 0.5 : 2 + random() * 8))));
  if (sizes !== undefined && size !== undefined && random() < 0.6)
    return { ...selection, size: scaled(size, MOST[sizes]) };
  return { ...selection, times: scaled(selection.times, 100) };
}

/** The same, smaller in its largest number; undefined if nothing is left to make smaller. */
export function smaller(selection: Selection): Selection | undefined {
  const largest = (one: Selection): number => Math.max(one.times, one.size ?? 1, ...one.below.map(largest));
  const most = largest(selection);
  if (most <= 1) return undefined;
  const shrink = (one: Selection): Selection => ({
    ...one,
    times: one.times === most ? Math.floor(most * 0.7) : one.times,
    ...(one.size !== undefined && { size: one.size === most ? Math.floor(most * 0.7) : one.size }),
    below: one.below.map(shrink),
  });
  return shrink(selection);
}
