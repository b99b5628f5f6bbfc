import { Session } from 'node:inspector/promises';

/**
 * Counts how often V8 enters the functions and blocks of the gateway's code and of its cache library while `run` runs. It
 * is a measure of work that does not depend on the machine or on what else runs. Work inside of V8's own functions, such
 * as Map.prototype.get, does not count.
 */
export async function countWork(run: () => void | Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    // Ends with what was counted before.
    await session.post('Profiler.takePreciseCoverage');
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => COUNTED.test(url))
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((sum, { count }) => sum + count, 0);
  } finally {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  }
}

const COUNTED = /\/src\/[^/]|\/node_modules\/lru-cache\//;
