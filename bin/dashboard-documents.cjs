/**
 * What the dashboard sends to /graphql: the documents of the modules that are in its bundle, found by running these. The
 * gateway executes them for sessions where it executes listed operations only.
 */
const { runInNewContext } = require('node:vm');

/** Where gql is, which alone makes documents. */
const GQL_MODULE = 'dashboard/api/document.ts';

/**
 * @param metafile of the dashboard's bundle, as esbuild tells it
 * @returns each document once, to the byte
 * @throws Error fit to show to a person: a document stands where it would not be found
 */
function collectDocuments({ buildSync }, root, { inputs }) {
  const modules = Object.keys(inputs).filter((name) =>
    inputs[name].imports.some(({ path }) => path === GQL_MODULE),
  );
  const others = modules.filter((name) => !name.endsWith('-documents.ts'));
  if (others.length > 0)
    throw new Error(`${others.join(', ')}: documents are exported from files named …-documents.ts`);
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    stdin: {
      contents: modules.map((name, i) => `export * as module${i} from './${name}';`).join('\n'),
      resolveDir: root,
    },
    bundle: true,
    format: 'cjs',
    write: false,
    logLevel: 'silent',
  });
  const module = { exports: {} };
  runInNewContext(outputFiles[0].text, { module });
  const exported = Object.values(module.exports).flatMap((names) => Object.values(names));
  return [...new Set(exported.flatMap(({ text }) => text ?? []))];
}

module.exports = { collectDocuments };
