import { curlOf } from '../../api/curl.js';
import type { Call } from '../../components/calls.js';
import type { NewPet as StoredNewPet, PetStatus } from '../../../src/features/pets/pet.js';
import { CREATE_PET, PETS } from './pet-documents.js';

/** A pet as typed. An int64 is a string, as in GraphQL, because a JavaScript number cannot hold every int64. */
export type NewPet = {
  [Field in keyof Required<StoredNewPet>]: StoredNewPet[Field] extends bigint ? string : StoredNewPet[Field];
};

export interface PetsPage {
  first: number;
  after: string | null;
  status: PetStatus | undefined;
}

export const EXAMPLE_PET: NewPet = { name: 'Rex', categoryId: '1', status: 'available' };

const AUTHORIZATION = `-H "Authorization: Bearer $API_KEY"`;
/** An integer in JSON. It is copied as text, because a JavaScript number would lose digits past 2^53. */
const JSON_INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** The calls for the visible page, over both interfaces. */
export function listPetsCalls(variables: PetsPage): Call[] {
  const { first, after, status } = variables;
  const search = new URLSearchParams({ limit: String(first) });
  if (status !== undefined) search.set('status', status);
  if (after !== null) search.set('after', after);
  return [
    {
      title: 'List these pets over REST',
      code: `curl -s '${location.origin}/v1/pets?${search.toString()}' \\\n  ${AUTHORIZATION}`,
    },
    { title: 'List these pets over GraphQL', code: curlOf(PETS, variables) },
  ];
}

/** The calls for the current input, valid or not, over both interfaces. */
export function createPetCalls(pet: NewPet): Call[] {
  const { name, categoryId, status } = pet;
  const category = JSON_INTEGER.test(categoryId) ? categoryId : JSON.stringify(categoryId);
  const members: Record<keyof NewPet, string> = {
    name: JSON.stringify(name),
    categoryId: category,
    status: JSON.stringify(status),
  };
  const body = `{${Object.entries(members)
    .map(([field, value]) => `"${field}":${value}`)
    .join(',')}}`;
  return [
    {
      title: 'Add a pet over REST',
      code: [
        `curl -s ${location.origin}/v1/pets \\`,
        `  ${AUTHORIZATION} -H 'Content-Type: application/json' \\`,
        `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
      ].join('\n'),
    },
    { title: 'Add a pet over GraphQL', code: curlOf(CREATE_PET, { input: pet }) },
  ];
}
