/** The command line on a database (the first argument) in a process of its own: something that can be killed. */
const { main } = require('../../src/cli/main.ts');

const [node, program, uri, ...args] = process.argv;
process.env.MONGODB_URI = uri;
void main([node, program, ...args]).then((code) => {
  process.exitCode = code;
});
