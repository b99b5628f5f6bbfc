#!/usr/bin/env node
'use strict';

const { isWorker } = require('node:cluster');
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

// Not process.exit: what was written to a pipe must arrive.
void require('../dist/cli/main.js')
  .main(process.argv)
  .then((code) => {
    if (code !== 0) process.exitCode = code;
  });
