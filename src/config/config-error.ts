/** A setting is invalid. The message names every fault, and the process exits with code 2. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Settings that cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
