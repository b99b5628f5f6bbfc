import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from '../support/run-program.js';
import { ROOT } from './install-packages.js';

const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    types: ['node'],
    typeRoots: ['node_modules/@types'],
  },
};

/**
 * Makes an empty project of the folder: with the package of clients/typescript as `npm pack` builds it, the given
 * programs and examples/typescript/adopt.ts (as adopt.mjs), all checked and compiled.
 */
export async function makeTypescriptProject(
  project: string,
  programs: Record<string, string> = {},
): Promise<void> {
  const client = join(ROOT, 'clients/typescript');
  await mustRun('npm', ['pack', '--pack-destination', project], { cwd: client });
  await writeFile(join(project, 'package.json'), '{"name":"empty","private":true}');
  const tarball = join(project, 'pets-gateway-client-1.0.0.tgz');
  await mustRun('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: project });
  for (const [name, text] of Object.entries(programs)) await writeFile(join(project, name), text);
  await copyFile(join(ROOT, 'examples/typescript/adopt.ts'), join(project, 'adopt.mts'));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  // The compiler and the types of Node are this repository's.
  await symlink(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'));
  await mustRun(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: project });
}
