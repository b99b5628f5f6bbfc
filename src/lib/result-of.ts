import { ApiError } from './errors.js';

/** What `run` returns, or the ApiError that it throws; any other error is thrown. */
export function resultOf<T>(run: () => T): T | ApiError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
