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

/** As JSON.parse, but integers are bigints: ids use all 64 bits, of which a number keeps 53. */
function parseExactly(json: string): unknown {
  return parse(json, undefined, {
    parseNumber: (text) => (isInteger(text) ? BigInt(text) : Number(text)),
  });
}

/** Digits are written as they are: JSON.stringify refuses a bigint. */
export function renderNewPet({ name, categoryId, status }: NewPet): string {
  const members: Record<keyof NewPet, string | undefined> = {
    name: JSON.stringify(name),
    categoryId: String(categoryId),
    status: JSON.stringify(status),
  };
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{${given.map(([field, value]) => `"${field}":${value}`).join(',')}}`;
}
