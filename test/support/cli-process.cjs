/**
 * The command line on a database (the first argument) in a process of its own: something that can be killed. `--then`
 * separates commands that run one after the other.
 */
const { main } = require('../../src/cli/main.ts');

const [node, program, uri, ...args] = process.argv;
process.env.MONGODB_URI = uri;

async function runAll(rest) {
  const end = rest.indexOf('--then');
  const code = await main([node, program, ...(end === -1 ? rest : rest.slice(0, end))]);
  process.exitCode ||= code;
  if (end !== -1) await runAll(rest.slice(end + 1));
}

void runAll(args);
