/**
 * `npm run docs`: builds the documentation site from docs/ into dist/docs, where the gateway finds it at its next
 * start. The generator is installed on first use.
 *
 *   node scripts/build-docs.mjs [folder]     builds into this folder, and replaces it
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from './tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function main([folder = join(root, 'dist', 'docs')]) {
  const tools = ensureTools('docs');
  const site = resolve(folder);
  // A build that fails leaves the last site as it is.
  const part = `${site}.part`;
  const vitepress = join(tools, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const { status } = spawnSync(process.execPath, [vitepress, 'build', tools, '--outDir', part], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0)
    throw new Error('The documentation site was not built. The output above gives the reason.');
  for (const name of readdirSync(part)) if (name.endsWith('.html')) moveScriptsToFiles(part, name);
  rmSync(site, { recursive: true, force: true });
  renameSync(part, site);
  console.error(`Built the documentation site in ${site}`);
}

/** The gateway's Content-Security-Policy allows no inline scripts. VitePress writes a few, the same in each page. */
function moveScriptsToFiles(site, page) {
  const path = join(site, page);
  const html = readFileSync(path, 'utf8').replace(
    /<script(| id="[\w-]+")>(.*?)<\/script>/gs,
    (_, _id, script) => {
      const name = `assets/inline.${createHash('sha256').update(script).digest('base64url').slice(0, 8)}.js`;
      writeFileSync(join(site, name), script);
      return `<script src="/docs/${name}"></script>`;
    },
  );
  writeFileSync(path, html);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
