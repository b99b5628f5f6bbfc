import { isInteger, parse } from 'lossless-json';
import type { components } from './openapi.js';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
/** The fields to change, at least one. The others stay as they are. */
export type PetChanges = Partial<NewPet>;
export type PetStatus = components['schemas']['PetStatus'];

/** A pet, and the version of it that was read. */
export interface PetVersion extends Pet {
  /** Pass it as `ifMatch` to change or remove the pet only if nobody has changed it since. */
  etag: string;
}

export function parsePet(json: string): Pet {
  return parseExactly(json) as Pet;
}

export function parsePets(json: string): Pet[] {
  return parseExactly(json) as Pet[];
}

/** Like JSON.parse, but integers become bigints: ids use 64 bits, and a number keeps only 53. */
export function parseExactly(json: string): unknown {
  return parse(json, undefined, {
    parseNumber: (text) => (isInteger(text) ? BigInt(text) : Number(text)),
  });
}

/** Writes integers digit by digit, because JSON.stringify rejects a bigint. Leaves out what is undefined. */
export function renderPet({ name, categoryId, status }: PetChanges): string {
  const members: Record<keyof NewPet, string | undefined> = {
    name: JSON.stringify(name),
    categoryId: categoryId?.toString(),
    status: JSON.stringify(status),
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${given.map(([field, value]) => `"${field}":${value}`).join(',')}}`;
}
