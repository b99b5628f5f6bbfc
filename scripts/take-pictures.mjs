/**
 * Retakes the pictures of docs/images: the test that looks at every page of the dashboard takes them, and one of each
 * main page is kept.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideParts } from '../test/support/provide-parts.mjs';
import { ensureTools } from './tools.mjs';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const images = join(root, 'docs', 'images');
const kept = {
  domains: 'domains-1280-light',
  key: 'key-1280-light',
  deploys: 'deploys-1280-light',
  pets: 'pets-1280-light',
  'all-keys': 'all-keys-1280-light',
  system: 'system-1280-dark',
};

ensureTools('../test');
require('../bin/build-if-stale.cjs').buildIfStale();
const { env } = await provideParts();
const folder = mkdtempSync(join(tmpdir(), 'pets-gateway-pictures-'));
try {
  const { status } = spawnSync(
    process.execPath,
    [require.resolve('jest/bin/jest'), 'test/dashboard-full/looks'],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env, PICTURES: folder },
    },
  );
  if (status === 0) keep();
  else process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function keep() {
  mkdirSync(images, { recursive: true });
  for (const [name, taken] of Object.entries(kept))
    copyFileSync(join(folder, `${taken}.png`), join(images, `${name}.png`));
}
