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
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

/** How many pets are got in turn, at every size. */
export const IDS = 5000;
/** How many keys are used in turn, at every size. */
export const PROBED_KEYS = 1000;
/** How many projects the pets belong to, at every size. */
export const PET_PROJECTS = 10_000;
/** One pet in so many belongs to the project of the first key: at the smallest size, more than a page. */
export const OWN_EACH = 400;

export interface FilledKeys {
  /** The project of the first secret. */
  projectId: string;
  /** Of keys spread over all there are. */
  secrets: readonly string[];
  /** Places all over the list of keys by usageToday. */
  usageCursors: readonly string[];
}
