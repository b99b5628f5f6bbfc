/**
 * Bundles dashboard/ into a folder: index.html, and beside it assets/ whose names change with their contents, so that
 * browsers may keep them for ever. And documents.json, which is for the gateway: what the page sends to /graphql.
 */
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { basename, join, relative } = require('node:path');
const { readDocuments } = require('./dashboard-documents.cjs');

/** Where the gateway serves it. */
const PUBLIC_PATH = '/dashboard/';
const ENTRIES = ['main.tsx', 'styles/dashboard.css', 'paw.svg'];

/** @throws Error fit to show to a person: esbuild is not installed, or the sources do not bundle. */
function bundleDashboard(root, folder) {
  const source = join(root, 'dashboard');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const bundler = findBundler();
  const { metafile } = bundler.buildSync({
    absWorkingDir: root,
    entryPoints: ENTRIES.map((name) => join(source, name)),
    outdir: folder,
    publicPath: PUBLIC_PATH,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    // In place of the jsx of tsconfig.json, which is for types: calls of h() are shorter than those of the JSX runtime.
    tsconfigRaw: {},
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [join(source, 'jsx.ts')],
    loader: { '.svg': 'copy' },
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  });
  const page = readFileSync(join(source, 'index.html'), 'utf8');
  writeFileSync(join(folder, 'documents.json'), JSON.stringify(readDocuments(root).texts, null, 2));
  const parts = addressesOf(metafile, root, folder)
    .set('preloads', preloadsOf(metafile, root, folder))
    .set('icons', iconsOf(source));
  writeFileSync(join(folder, 'index.html'), filled(page, parts));
}

/** Links to what main.js imports. Without them, browsers learn of these files a round trip later, from main.js. */
function preloadsOf({ outputs }, root, folder) {
  const isMain = ([, { entryPoint }]) => entryPoint === 'dashboard/main.tsx';
  const [main] = Object.entries(outputs).find(isMain);
  const paths = new Set([main]);
  for (const path of paths)
    for (const { path: imported, kind } of outputs[path].imports)
      if (kind === 'import-statement') paths.add(imported);
  paths.delete(main);
  return [...paths]
    .map((path) => `<link rel="modulepreload" href="${publicPathOf(path, root, folder)}" />`)
    .join('');
}

function publicPathOf(path, root, folder) {
  return PUBLIC_PATH + relative(folder, join(root, path)).replaceAll('\\', '/');
}

/** The icons as symbols of the page: there they are no script, which browsers would have to compile. */
function iconsOf(source) {
  const paths = JSON.parse(readFileSync(join(source, 'components', 'icons.json'), 'utf8'));
  const symbols = Object.entries(paths).map(
    ([name, path]) => `<symbol id="icon-${name}" viewBox="0 0 16 16"><path d="${path}" /></symbol>`,
  );
  return `<svg display="none">${symbols.join('')}</svg>`;
}

/** From names as index.html has them, `main.js`, to addresses, `/dashboard/assets/main-<hash>.js`. */
function addressesOf({ outputs }, root, folder) {
  const addresses = new Map();
  for (const [path, { entryPoint, inputs }] of Object.entries(outputs)) {
    const from = entryPoint ?? Object.keys(inputs)[0];
    if (!ENTRIES.some((entry) => from === `dashboard/${entry}`)) continue;
    const name = basename(from).replace(/\.tsx$/, '.js');
    addresses.set(name, publicPathOf(path, root, folder));
  }
  return addresses;
}

/** The page with each `{{name}}` replaced by its part. */
function filled(page, parts) {
  return page.replace(/\{\{([^{}]+)\}\}/g, (_, name) => {
    const part = parts.get(name);
    if (part === undefined) throw new Error(`dashboard/index.html names ${name}, which is not bundled`);
    return part;
  });
}

function findBundler() {
  try {
    return require('esbuild');
  } catch {
    throw new Error(
      'dist/ is missing or out of date, and esbuild is not installed to build the dashboard: run `npm install`.',
    );
  }
}

/** `node bundle-dashboard.cjs ROOT FOLDER`: the bundler's own process ends with this one. */
function main([root, folder]) {
  try {
    bundleDashboard(root, folder);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

module.exports = { bundleDashboard };
if (require.main === module) main(process.argv.slice(2));
