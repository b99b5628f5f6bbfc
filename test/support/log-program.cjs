/** Writes a log as a gateway does. Arguments: `fill` or `crash`, and the number of bytes to write first. */
const { setImmediate } = require('node:timers');
const { createLogger, droppedLogLines } = require('../../src/lib/logger.ts');
const { exitOnCrash } = require('../../src/server/stop-signal.ts');

const LINE_BYTES = 1000;
const [what, bytes] = process.argv.slice(2);
const log = createLogger({ level: 'info', pretty: false });
exitOnCrash(log);
let number = 0;
const write = () => log.info({ number: (number += 1), filler: 'x'.repeat(LINE_BYTES - 80) }, 'request');
while (number * LINE_BYTES < Number(bytes)) write();
if (what === 'crash')
  setImmediate(() => {
    throw new Error('of this test');
  });
// Reports how many lines it lost, and continues after a line of standard input.
console.log(String(droppedLogLines()));
process.stdin.once('data', () => {
  write();
  log.warn('the end');
  process.stdin.destroy();
});
