import type { Document } from '../../api/document.js';
import type { PageInfo } from '../../api/use-pages.js';
import { useQuery, type Query } from '../../api/use-query.js';
import {
  ANIMALS,
  ANIMALS_BY_ID,
  type AnimalsByIdResult,
  type AnimalsByIdVariables,
  type AnimalsResult,
  type AnimalsVariables,
  type Pet,
} from './animal-documents.js';

/** The animals on a page of the list. */
export interface FoundAnimals {
  pets: readonly Pet[];
  /** Null if there are too many to count. */
  totalCount: number | null;
  pageInfo: PageInfo;
}

type Result = AnimalsResult | AnimalsByIdResult;

export interface UsedAnimals {
  query: Query<Result>;
  /** Undefined until the first response. */
  found: FoundAnimals | undefined;
  /** Shows other animals without another request; `more`: how many more there are now. */
  patch: (change: (pets: readonly Pet[]) => readonly Pet[], more?: number) => void;
}

/** Reads a page of the list, or the one animal with an ID. */
export function useAnimals(variables: AnimalsVariables, id: string | undefined): UsedAnimals {
  const query = useQuery<Result, AnimalsVariables | AnimalsByIdVariables>(
    (id === undefined ? ANIMALS : ANIMALS_BY_ID) as Document<Result, AnimalsVariables | AnimalsByIdVariables>,
    id === undefined ? variables : { ids: [id] },
  );
  const projectId = variables.filter?.projectId ?? undefined;
  return {
    query,
    found: query.result && foundIn(query.result, projectId),
    patch: (change, more = 0) => query.patch((result) => changed(result, change, more)),
  };
}

function foundIn(result: Result, projectId: string | undefined): FoundAnimals {
  if (!('petsByIds' in result)) {
    const { edges, totalCount, pageInfo } = result.petsConnection;
    return { pets: edges.map(({ node }) => node), totalCount, pageInfo };
  }
  const pets = result.petsByIds.filter(
    (pet) => pet !== null && (projectId === undefined || pet.project?.id === projectId),
  ) as Pet[];
  return { pets, totalCount: pets.length, pageInfo: { hasNextPage: false, endCursor: null } };
}

function changed(result: Result, change: (pets: readonly Pet[]) => readonly Pet[], more: number): Result {
  const { pets, totalCount } = foundIn(result, undefined);
  const after = change(pets);
  if ('petsByIds' in result) return { petsByIds: [...after] };
  return {
    petsConnection: {
      ...result.petsConnection,
      totalCount: totalCount === null ? null : totalCount + more,
      edges: after.map((node) => ({ node })),
    },
  };
}
