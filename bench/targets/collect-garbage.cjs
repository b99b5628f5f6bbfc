/**
 * On SIGUSR2, collects all garbage of a gateway, so that its resident memory shows what it keeps. Without it, Node leaves
 * garbage of the load before for minutes. For `node --expose-gc --require`.
 */
if (process.argv[2] === 'serve') process.on('SIGUSR2', () => globalThis.gc());
