import { ApiError } from './errors.js';

/** Returns the result of `run`, or the ApiError that it throws. Throws all other errors. */
export function resultOf<T>(run: () => T): T | ApiError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
