const { transformSync } = require('esbuild');

/** @returns {{ code: string, map: string }} CommonJS for this Node. Types are not checked. */
exports.compileTypeScript = function compileTypeScript(text, file, { sourcemap }) {
  return transformSync(text, {
    loader: 'ts',
    format: 'cjs',
    platform: 'node',
    target: `node${process.versions.node}`,
    // Only require() goes through the module systems that load these sources: Jest's, and register-typescript.cjs.
    supported: { 'dynamic-import': false },
    tsconfigRaw: { compilerOptions: { target: 'es2023', experimentalDecorators: true, alwaysStrict: true } },
    sourcefile: file,
    sourcemap,
  });
};
