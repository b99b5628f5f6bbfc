#!/usr/bin/env node
'use strict';

const { isWorker } = require('node:cluster');
const { buildIfStale } = require('./build-if-stale.cjs');

try {
  // A worker is of the build that the first process runs, also when it begins later and the sources have changed.
  if (!isWorker) buildIfStale();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

process.stdout.on('error', (error) => {
  // Whoever reads has enough, as `head` does: what was begun is done all the same.
  if (error.code === 'EPIPE') return;
  console.error(`error: standard output takes no more: ${error.message}`);
  process.exitCode = 1;
});

// Not process.exit: what was written to a pipe must arrive.
void require('../dist/cli/main.js')
  .main(process.argv)
  .then((code) => {
    if (code !== 0) process.exitCode = code;
  });
