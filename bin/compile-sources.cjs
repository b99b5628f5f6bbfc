/** Compiles src/ to dist/, file by file, to CommonJS. Types are not checked: `npm run typecheck` does that. */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

/** @throws Error fit to show to a person: esbuild is not installed, or the sources do not compile. */
function compileSources(root) {
  const source = join(root, 'src');
  findCompiler().buildSync({
    absWorkingDir: root,
    entryPoints: readdirSync(source, { recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(source, name)),
    outbase: source,
    outdir: join(root, 'dist'),
    tsconfig: join(root, 'tsconfig.json'),
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'silent',
  });
}

function findCompiler() {
  try {
    return require('esbuild');
  } catch {
    throw new Error(
      'dist/ is missing or out of date, and esbuild is not installed to build it: run `npm install`.',
    );
  }
}

/** `node compile-sources.cjs ROOT`: the compiler's own process ends with this one. */
function main([root]) {
  try {
    compileSources(root);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

main(process.argv.slice(2));
