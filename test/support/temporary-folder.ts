import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty folder for each test, removed after it. Call inside `describe` or at the top of a test file. */
export function useTemporaryFolder(): () => string {
  let folder = '';
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'pets-gateway-test-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}
