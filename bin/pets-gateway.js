#!/usr/bin/env node
'use strict';

const { isWorker } = require('node:cluster');
const { setInterval } = require('node:timers');
const { buildIfStale } = require('./build-if-stale.cjs');

try {
  // A worker builds nothing, or one that begins later would hold the gateway up: it runs what dist/ holds by then.
  if (!isWorker) buildIfStale();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

process.stdout.on('error', (error) => {
  // The reader has enough, as `head` does. The command still finishes its work. Other errors are reported once.
  if (error.code === 'EPIPE' || process.exitCode === 1) return;
  console.error(`error: standard output takes no more: ${error.message}`);
  process.exitCode = 1;
});

// Without a listener, a reader of standard error that is gone would end the process.
process.stderr.on('error', () => undefined);

/** How long the end waits for the reader of standard error, milliseconds. */
const LAST_WORDS_MS = 1000;

function endAlsoIfUnread() {
  if (process.stderr.writableLength > 0 && process.stdout.writableLength === 0) process.exit();
}

// Not process.exit: what was written to a pipe must arrive.
void require('../dist/cli/main.js')
  .main(process.argv)
  .then((code) => {
    if (code !== 0) process.exitCode = code;
    setInterval(endAlsoIfUnread, LAST_WORDS_MS).unref();
  });
