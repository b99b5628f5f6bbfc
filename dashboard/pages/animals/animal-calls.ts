import { curlOf } from '../../api/curl.js';
import type { PetFilter } from '../../api/schema-types.js';
import type { Call } from '../../components/calls.js';
import type { NewPet as StoredNewPet } from '../../../src/features/pets/pet.js';
import {
  ANIMALS,
  CREATE_PET,
  DELETE_PET,
  UPDATE_PET,
  type AnimalsVariables,
  type Pet,
} from './animal-documents.js';
import { updateOf, type PetFields } from './use-pet-changes.js';

/** A pet as typed. An int64 is a string, as in GraphQL, because a JavaScript number cannot hold every int64. */
export type NewPet = {
  [Field in keyof Required<StoredNewPet>]: StoredNewPet[Field] extends bigint ? string : StoredNewPet[Field];
};

export const EXAMPLE_PET: NewPet = { name: 'Rex', categoryId: '1', status: 'available' };

const AUTHORIZATION = `-H "Authorization: Bearer $API_KEY"`;
/** An integer in JSON. It is copied as text, because a JavaScript number would lose digits past 2^53. */
const JSON_INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** The call for the visible page. REST has no search by name or own number, and no list of another project. */
export function listCalls(variables: AnimalsVariables, isOwn: boolean): Call[] {
  const filter: PetFilter = variables.filter ?? {};
  const calls = [{ title: 'List these animals over GraphQL', code: curlOf(ANIMALS, variables) }];
  if (filter.nameContains || filter.externalId || (filter.projectId && !isOwn)) return calls;
  const search = new URLSearchParams({ limit: String(variables.first) });
  if (isOwn) search.set('mine', 'true');
  if (filter.status) search.set('status', filter.status);
  if (filter.categoryId) search.set('categoryId', filter.categoryId);
  return [
    {
      title: 'List these animals over REST, oldest first',
      code: `curl -s '${location.origin}/v1/pets?${search.toString()}' \\\n  ${AUTHORIZATION}`,
    },
    ...calls,
  ];
}

/** The calls that change an animal, over both interfaces. */
export function changeCalls(pet: PetFields & Pick<Pet, 'id'>): Call[] {
  const address = `${location.origin}/v1/pets/${pet.id}`;
  return [
    {
      title: 'Reserve an animal over REST',
      code: [
        `curl -s -X PATCH ${address} \\`,
        `  ${AUTHORIZATION} -H 'Content-Type: application/merge-patch+json' \\`,
        `  -d '{"status":"pending"}'`,
      ].join('\n'),
    },
    {
      title: 'Reserve an animal over GraphQL, if its status is unchanged',
      code: curlOf(UPDATE_PET, { input: updateOf(pet, { status: 'pending' }) }),
    },
    { title: 'Remove an animal over REST', code: `curl -s -X DELETE ${address} \\\n  ${AUTHORIZATION}` },
    { title: 'Remove an animal over GraphQL', code: curlOf(DELETE_PET, { input: { id: pet.id } }) },
  ];
}

/** The calls for the current input, valid or not, over both interfaces. */
export function createCalls(pet: NewPet): Call[] {
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
      title: 'Add an animal over REST',
      code: [
        `curl -s ${location.origin}/v1/pets \\`,
        `  ${AUTHORIZATION} -H 'Content-Type: application/json' \\`,
        `  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
      ].join('\n'),
    },
    { title: 'Add an animal over GraphQL', code: curlOf(CREATE_PET, { input: pet }) },
  ];
}
