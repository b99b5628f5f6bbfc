/** A setting is invalid. The message names every fault, and the process exits with code 2. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `Settings that are not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\n.env.example describes each setting.`,
    );
    this.name = 'ConfigError';
  }
}
