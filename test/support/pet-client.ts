import { isInteger, parse } from 'lossless-json';
import type { NewPet, Pet } from '../../src/features/pets/pet.js';

/** What a client learns from a response, the same for both interfaces. */
export interface Told {
  /** `ok`, or the code of the error. */
  code: string;
  pet?: ShownPet;
  /** The state that won, when a precondition failed. */
  state?: PetState;
}

/** A pet as both interfaces show it. */
export type ShownPet = Pick<Pet, 'id' | 'name' | 'categoryId' | 'status'>;
export type PetState = Omit<ShownPet, 'id'>;
/** That the pet is still as it was seen: headers of REST, or members of the input of GraphQL. */
export type Condition = Readonly<Record<string, string | bigint>>;

/** The operations on one pet, by way of one interface. */
export interface PetClient {
  create(pet: NewPet): Promise<Told>;
  read(id: bigint): Promise<Told>;
  conditionOf(id: bigint, seen: PetState): Promise<Condition>;
  update(id: bigint, changes: Partial<PetState>, condition?: Condition): Promise<Told>;
  remove(id: bigint, condition?: Condition): Promise<Told>;
}

/** Whose requests they are, and where they go. */
export interface Caller {
  url: string;
  secret: string;
}

export function restPets(caller: Caller): PetClient {
  const ask = async (path: string, init: RequestInit = {}): Promise<Told & { etag: string }> => {
    const { ok, etag, body } = await send(caller, path, init);
    if (ok) return { code: 'ok', etag, ...('id' in body && { pet: body as unknown as ShownPet }) };
    return { etag, code: String(body['code']), ...stateIn(body['details']) };
  };
  const outcomeOf = async (path: string, init: RequestInit) => {
    const { etag: _etag, ...rest } = await ask(path, init);
    return rest;
  };
  return {
    create: (pet) => outcomeOf('/v1/pets', { method: 'POST', body: render({ ...pet }) }),
    read: (id) => outcomeOf(`/v1/pets/${id}`, {}),
    async conditionOf(id, seen) {
      const { pet, etag } = await ask(`/v1/pets/${id}`);
      const isSame =
        pet !== undefined &&
        (['name', 'categoryId', 'status'] as const).every((key) => pet[key] === seen[key]);
      // No pet has this tag, so it stands for a state that has passed.
      return { 'if-match': isSame ? etag : '"passed"' };
    },
    update: (id, changes, condition = {}) =>
      outcomeOf(`/v1/pets/${id}`, {
        method: 'PATCH',
        headers: condition as Record<string, string>,
        body: render(changes),
      }),
    remove: (id, condition = {}) =>
      outcomeOf(`/v1/pets/${id}`, { method: 'DELETE', headers: condition as Record<string, string> }),
  };
}

const FIELDS = 'id name categoryId status';

export function graphQLPets(caller: Caller): PetClient {
  async function ask(query: string, input: Record<string, unknown> = {}): Promise<Told> {
    const text = `{"query":${JSON.stringify(query)},"variables":{"input":${render(input)}}}`;
    const { body } = await send(caller, '/graphql', { method: 'POST', body: text });
    const [error] = (body['errors'] ?? []) as GraphQLError[];
    if (error !== undefined) return { code: error.extensions.code, ...stateIn(error.extensions.details) };
    const [root] = Object.values(body['data'] as Record<string, SentPet | { pet: SentPet } | SentPet[]>);
    const [pet] = [root].flat().map((found) => (found != null && 'pet' in found ? found.pet : found));
    if (pet == null) return { code: 'pet_not_found' };
    if (!('id' in pet)) return { code: 'ok' };
    return { code: 'ok', pet: { ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) } };
  }
  return {
    create: (pet) => ask(`mutation ($input: NewPet!) { createPet(input: $input) { ${FIELDS} } }`, { ...pet }),
    read: (id) => ask(`{ petsByIds(ids: [${id}]) { ${FIELDS} } }`),
    conditionOf: (_id, { name, categoryId, status }) =>
      Promise.resolve({ ifName: name, ifCategoryId: categoryId, ifStatus: status }),
    update: (id, changes, condition = {}) =>
      ask(`mutation ($input: UpdatePetInput!) { updatePet(input: $input) { pet { ${FIELDS} } } }`, {
        id,
        ...changes,
        ...condition,
      }),
    remove: (id, condition = {}) =>
      ask('mutation ($input: DeletePetInput!) { deletePet(input: $input) { deletedPetId } }', {
        id,
        ...condition,
      }),
  };
}

interface SentPet extends Omit<ShownPet, 'id' | 'categoryId'> {
  id: string;
  categoryId: string;
}

interface GraphQLError {
  extensions: { code: string; details?: unknown };
}

async function send({ url, secret }: Caller, path: string, init: RequestInit) {
  const response = await fetch(url + path, {
    ...init,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(init.body != null && { 'content-type': 'application/json' }),
      ...(init.headers as Record<string, string>),
    },
  });
  const text = await response.text();
  const parseNumber = (digits: string) => (isInteger(digits) ? BigInt(digits) : Number(digits));
  const body = (text === '' ? {} : parse(text, undefined, { parseNumber })) as Record<string, unknown>;
  return { ok: response.ok, etag: response.headers.get('etag') ?? '', body };
}

/** JSON with exact integers. */
function render(members: Record<string, unknown>): string {
  const json = (value: unknown) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
  return `{${Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `"${name}":${json(value)}`)
    .join(',')}}`;
}

function stateIn(details: unknown): { state?: PetState } {
  const { name, categoryId, status } = (details ?? {}) as Record<string, string | bigint>;
  if (status === undefined) return {};
  return {
    state: { name, categoryId: BigInt(categoryId ?? 0), status } as PetState,
  };
}
