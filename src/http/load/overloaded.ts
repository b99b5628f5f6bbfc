import { serviceUnavailable } from '../../lib/errors.js';

/** The error of every request that is rejected because of the load. */
export const OVERLOADED = serviceUnavailable(
  'The gateway has more requests than it can answer at the moment.',
);
