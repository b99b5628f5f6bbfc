#!/usr/bin/env node
'use strict';

const { buildIfStale } = require('./build-if-stale.cjs');

try {
  buildIfStale();
} catch (error) {
  console.error(`pets-gateway: ${error.message}`);
  process.exit(1);
}

// Not process.exit: what was written to a pipe must arrive.
void require('../dist/cli/main.js')
  .main(process.argv)
  .then((code) => {
    process.exitCode = code;
  });
