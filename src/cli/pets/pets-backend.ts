import type { CommandServices } from '../../app/command-services.js';
import type { Administration } from '../../features/administration/administration.js';
import { cursorOf, idOfCursor } from '../../features/pets/cursor.js';
import type { PetChanges } from '../../features/pets/pet-change.js';
import { parsePetChanges } from '../../features/pets/parse-pet-changes.js';
import { parseNewPet } from '../../features/pets/parse-new-pet.js';
import { PET_FIELDS, type NewPet, type Pet, type PetStatus } from '../../features/pets/pet.js';
import { petNotFound } from '../../features/pets/pets-service.js';
import type { Gateway } from './gateway.js';

/** An animal as commands show it. */
export interface ShownPet extends NewPet {
  id: bigint;
  externalId: string | undefined;
  /** The name of its project; undefined if it belongs to none. */
  project: string | undefined;
  createdAt: Date;
}

export interface PetsList {
  status?: PetStatus | undefined;
  /** The name must contain it. */
  nameContains?: string | undefined;
  /** The animal with exactly this own number of its project. Needs `projectId`, except over the API with an owner key. */
  externalId?: string | undefined;
  /** Only animals of this project, by id. Undefined: of the key's own project over the API, of all in the database. */
  projectId?: string | undefined;
  /** All animals, of whatever project. */
  isOfAll: boolean;
}

export interface PetsPage {
  entries: (ShownPet & { cursor: string })[];
  hasMore: boolean;
}

/** The animals, in the database of the settings or over the API of a gateway. Each method throws ApiErrors. */
export interface PetsBackend {
  page(list: PetsList, first: number, after: string | undefined): Promise<PetsPage>;
  get(id: bigint): Promise<ShownPet>;
  add(pet: Partial<NewPet>, projectId: string | undefined): Promise<ShownPet>;
  update(id: bigint, changes: PetChanges, ifStatus: PetStatus | undefined): Promise<ShownPet>;
  /** @param ifName what its name must be */
  remove(id: bigint, ifName: string): Promise<void>;
  /** The largest page. */
  maxPage: number;
}

export function petsInDatabase(services: CommandServices, change: Administration): PetsBackend {
  const { pets, projects } = services;
  const ALL = { scope: 'all' } as const;

  async function shown(found: readonly Pet[]): Promise<ShownPet[]> {
    const ids = [...new Set(found.flatMap(({ projectId }) => projectId ?? []))];
    const named = await projects.getMany(ids);
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return found.map(({ projectId, externalId, ...pet }) => ({
      ...pet,
      externalId,
      project: projectId === undefined ? undefined : (names.get(projectId) ?? projectId),
    }));
  }
  const shownOne = async (pet: Pet): Promise<ShownPet> =>
    (await shown([pet]))[0] ?? petNotFound(String(pet.id));

  return {
    maxPage: 1000,
    async page({ status, nameContains, externalId, projectId }, first, after) {
      const afterId = after === undefined ? undefined : idOfCursor(after);
      const page = await pets.list({
        limit: first,
        ...(status !== undefined && { status }),
        ...(nameContains !== undefined && { nameContains }),
        ...(externalId !== undefined && { externalId }),
        ...(projectId !== undefined && { projectId }),
        ...(afterId !== undefined && { afterId }),
      });
      const entries = (await shown(page.pets)).map((pet) => ({ ...pet, cursor: cursorOf(pet.id) }));
      return { entries, hasMore: page.hasMore };
    },
    get: async (id) => shownOne(await pets.get(id)),
    add: async (pet, projectId) => shownOne(await change.createPet(parseNewPet(pet), projectId)),
    async update(id, changes, ifStatus) {
      const ifPet = ifStatus && { status: ifStatus };
      const { after } = await change.updatePet(id, parsePetChanges(changes), {
        ...ALL,
        ...(ifPet && { ifPet }),
      });
      return shownOne(after);
    },
    async remove(id, ifName) {
      await change.deletePet(id, { ...ALL, ifPet: { name: ifName } });
    },
  };
}

/** An animal as GraphQL has it: integers are texts. */
interface GraphQLPet extends Omit<NewPet, 'categoryId'> {
  id: string;
  categoryId: string;
  externalId: string | null;
  project: { name: string } | null;
  createdAt: string;
}

const FIELDS = ['id', ...PET_FIELDS, 'externalId createdAt project { name }'].join(' ');

export function petsOfGateway(gateway: Gateway): PetsBackend {
  return {
    maxPage: 100,
    async page({ isOfAll, projectId, ...filter }, first, after) {
      // `mine` of an admin key are animals of no project, and so without a number.
      const isMine = !isOfAll && filter.externalId === undefined;
      const of = projectId === undefined ? isMine && { mine: true } : { projectId };
      const { petsConnection } = await gateway.ask<{
        petsConnection: {
          edges: { node: GraphQLPet; cursor: string }[];
          pageInfo: { hasNextPage: boolean };
        };
      }>(
        `query ($first: Int, $after: String, $filter: PetFilter) {
          petsConnection(first: $first, after: $after, filter: $filter) {
            edges { cursor node { ${FIELDS} } } pageInfo { hasNextPage } } }`,
        { first, after, filter: { ...filter, ...of } },
      );
      const { edges, pageInfo } = petsConnection;
      return {
        entries: edges.map(({ node, cursor }) => ({ ...toShown(node), cursor })),
        hasMore: pageInfo.hasNextPage,
      };
    },
    async get(id) {
      const { petsByIds } = await gateway.ask<{ petsByIds: (GraphQLPet | null)[] }>(
        `query ($id: Int64!) { petsByIds(ids: [$id]) { ${FIELDS} } }`,
        { id: String(id) },
      );
      return toShown(petsByIds[0] ?? petNotFound(String(id)));
    },
    async add(pet) {
      const { createPet } = await gateway.ask<{ createPet: GraphQLPet }>(
        `mutation ($input: NewPet!) { createPet(input: $input) { ${FIELDS} } }`,
        { input: toInput(pet) },
      );
      return toShown(createPet);
    },
    async update(id, changes, ifStatus) {
      const { updatePet } = await gateway.ask<{ updatePet: { pet: GraphQLPet } }>(
        `mutation ($input: UpdatePetInput!) { updatePet(input: $input) { pet { ${FIELDS} } } }`,
        { input: { id: String(id), ...toInput(changes), ifStatus } },
      );
      return toShown(updatePet.pet);
    },
    async remove(id, ifName) {
      await gateway.ask('mutation ($input: DeletePetInput!) { deletePet(input: $input) { deletedPetId } }', {
        input: { id: String(id), ifName },
      });
    },
  };
}

function toInput({ categoryId, ...rest }: Partial<NewPet>) {
  return { ...rest, ...(categoryId !== undefined && { categoryId: String(categoryId) }) };
}

function toShown({ id, categoryId, externalId, project, createdAt, ...pet }: GraphQLPet): ShownPet {
  return {
    ...pet,
    id: BigInt(id),
    categoryId: BigInt(categoryId),
    externalId: externalId ?? undefined,
    project: project?.name,
    createdAt: new Date(createdAt),
  };
}
