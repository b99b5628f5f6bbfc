import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SteppedClock {
  /** For the process whose clock it is. */
  env: Record<string, string>;
  /** Sets it so far ahead of the machine's, or behind: at once, while the process runs. */
  stepTo(offsetSeconds: number): Promise<void>;
  /** What it shows. */
  nowMs(): number;
  remove(): Promise<void>;
}

/**
 * A clock of a process that can be set, by libfaketime: what tells the time of day is moved, what measures time goes on
 * as it is, as when somebody sets the clock of a machine.
 */
export async function createSteppedClock(): Promise<SteppedClock> {
  const library = process.env['FAKETIME_LIBRARY'];
  if (library === undefined)
    throw new Error('FAKETIME_LIBRARY does not name libfaketime: npm run test:faults finds or installs it');
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-clock-'));
  const file = join(folder, 'offset');
  let offsetMs = 0;
  const stepTo = async (offsetSeconds: number) => {
    offsetMs = offsetSeconds * 1000;
    const next = `${file}.next`;
    await writeFile(next, `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s`);
    // In one step: it is read with every look at the clock.
    await rename(next, file);
  };
  await stepTo(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    stepTo,
    nowMs: () => Date.now() + offsetMs,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
