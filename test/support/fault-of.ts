import { ApiError } from '../../src/lib/errors.js';

/** The ApiError that this attempt ends with; anything else fails the test. */
export async function faultOf(attempt: () => unknown): Promise<ApiError> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
