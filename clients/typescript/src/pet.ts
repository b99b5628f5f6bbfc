import { isInteger, parse } from 'lossless-json';
import type { components } from './openapi.js';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];

export function parsePet(json: string): Pet {
  return parseExactly(json) as Pet;
}

export function parsePets(json: string): Pet[] {
  return parseExactly(json) as Pet[];
}

/** Like JSON.parse, but integers become bigints: ids use 64 bits, and a number keeps only 53. */
function parseExactly(json: string): unknown {
  return parse(json, undefined, {
    parseNumber: (text) => (isInteger(text) ? BigInt(text) : Number(text)),
  });
}

/** Writes integers digit by digit, because JSON.stringify rejects a bigint. */
export function renderNewPet({ name, categoryId, status }: NewPet): string {
  const members: Record<keyof NewPet, string | undefined> = {
    name: JSON.stringify(name),
    categoryId: String(categoryId),
    status: JSON.stringify(status),
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${given.map(([field, value]) => `"${field}":${value}`).join(',')}}`;
}
