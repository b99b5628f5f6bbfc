import { isDeepStrictEqual } from 'node:util';
import { addMissing, compareKeys, everyGatewayLists, quotedIds } from './key-rotation.js';
import type { Logger } from '../../../lib/logger.js';

/** Notices, by what is stored, that other gateways seal with keys that this gateway lacks. */
export interface KeyRingWatch {
  /** Compares once and logs what differs; also logs if this gateway is about to seal with a new key. */
  begin(): Promise<void>;
  /** Compares again at intervals, and logs each change. */
  start(): void;
  close(): void;
}

const INTERVAL_MS = 10_000;

export function createKeyRingWatch(
  keyIds: readonly string[],
  usedKeyIds: () => Promise<string[]>,
  log: Logger,
): KeyRingWatch {
  let missing: string[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function look() {
    const compared = compareKeys(keyIds, await usedKeyIds());
    if (!isDeepStrictEqual(compared.missing, missing)) {
      missing = compared.missing;
      if (missing.length === 0) log.info('KEY_ENCRYPTION_KEYS again has all keys that are in use');
      else
        log.error(
          { missing },
          `KEY_ENCRYPTION_KEYS lacks ${quotedIds(missing)}, with which stored private keys are encrypted. ${addMissing(missing)} Until then, this gateway does not serve their domains over HTTPS.`,
        );
    }
    return compared;
  }

  return {
    async begin() {
      const { replaced } = await look();
      const [first] = keyIds;
      if (first !== undefined && replaced.length > 0)
        log.warn(
          { keyId: first },
          `This gateway now encrypts with ${quotedIds([first])}; stored private keys are encrypted with ${quotedIds(replaced)}. ${everyGatewayLists(first)}`,
        );
    },
    start() {
      // A look that fails is repeated: MongoDB may be down.
      timer ??= setInterval(() => void look().catch(() => undefined), INTERVAL_MS).unref();
    },
    close: () => clearInterval(timer),
  };
}
