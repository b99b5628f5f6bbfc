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
  'create',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

/** How many pets are got in turn, at every size. */
export const IDS = 5000;
/** How many keys are used in turn, at every size. */
export const PROBED_KEYS = 1000;
export interface FilledKeys {
  /** Of keys spread over all there are. */
  secrets: readonly string[];
  /** Places all over the list of keys by usageToday. */
  usageCursors: readonly string[];
}
