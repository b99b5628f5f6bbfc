/**
 * For how long the mongod of the tests keeps what was changed or dropped. MongoDB's own five minutes keep it open, and
 * a run drops some twenty thousand files in that time.
 */
export const HISTORY_SECONDS = 5;
