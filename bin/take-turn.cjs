const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');

const RETRY_MS = 100;

/**
 * A lock between processes: a file that holds the owner's process id. Waits, blocking this process, while another
 * living process has the lock; takes over the lock of a dead process.
 *
 * @returns a function that releases the lock
 */
function takeTurn(lockFile) {
  mkdirSync(dirname(lockFile), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return () => rmSync(lockFile, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    const pid = ownerOf(lockFile);
    // An empty file: its owner is between creating and writing it.
    if (pid !== undefined && pid !== '' && !isAlive(Number(pid))) rmSync(lockFile, { force: true });
  }
}

function ownerOf(lockFile) {
  try {
    return readFileSync(lockFile, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

module.exports = { takeTurn };
