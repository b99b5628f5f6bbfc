/** How much a gateway's database holds before the first request. */
export interface Size {
  pets: number;
  keys: number;
}

export const OPERATION_NAMES = [
  'list',
  'page-middle',
  'page-end',
  'get',
  'keys',
  'keys-deep',
  'key-lookup',
  'mine',
  'mine-newest',
  'category',
  'newest',
  'search-rare',
  'search-frequent',
  'search-mine',
  'create',
  'update',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

/** How many pets are got in turn, at every size. */
export const IDS = 5000;
/** How many keys are used in turn, at every size. */
export const PROBED_KEYS = 1000;
/** How many projects the pets belong to, at every size. */
const PET_PROJECTS = 10_000;
/** The pets of the first key's project, at every size: in blocks of successive pets, which have all categories. */
const OWN_BLOCKS = 30;
const BLOCK = 50;

export interface FilledKeys {
  /** The project of the first secret. */
  projectId: string;
  /** Of keys spread over all there are. */
  secrets: readonly string[];
  /** Places all over the list of keys by usageToday. */
  usageCursors: readonly string[];
}

/** Returns the project of pet number `i`, from 0, of all pets. The own blocks are spread over all of them. */
export function ownerIn({ pets }: Size, own: string): (i: number) => string {
  const apart = blocksApart(pets);
  return (i) => {
    const block = Math.floor(i / BLOCK);
    const isOwn = block % apart === 0 && block / apart < OWN_BLOCKS;
    return isOwn ? own : `proj_${i % PET_PROJECTS}`;
  };
}

/** The ids of the own pets. Pet number 0 has the id 1. */
export function ownIdsIn({ pets }: Size): number[] {
  const apart = blocksApart(pets);
  return Array.from(
    { length: OWN_BLOCKS * BLOCK },
    (_, i) => Math.floor(i / BLOCK) * apart * BLOCK + (i % BLOCK) + 1,
  );
}

function blocksApart(pets: number): number {
  return Math.floor(pets / BLOCK / OWN_BLOCKS);
}
