import type { RequestHandler, Response } from 'express';
import { createKeyTurns } from '../../lib/key-turns.js';
import { clientOfBrowserKey } from './browser-key.js';
import { callerOf, requestContextOf } from './request-context.js';
import { onHandedOver } from './on-finished.js';
import { answerOverloaded, type LoadParts } from './shed-load.js';

/** What one key may have of all that may be in flight, waiting included; the rest is left to others. */
const SHARE_OF_ONE_KEY = 3 / 4;
const MAX_WAIT_MS = 10_000;

/**
 * Lets the requests of one key take turns: `maxPerKey` at once, 0 for any number. What waits is neither read nor
 * charged, and is forgotten when its client goes.
 */
export function waitForTurn(maxPerKey: number, parts: LoadParts): RequestHandler {
  const { load } = parts;
  const turns = createKeyTurns(maxPerKey === 0 ? Infinity : maxPerKey, MAX_WAIT_MS);

  return (req, res, next) => {
    const refuse = () => {
      load.turnedAway();
      answerOverloaded(res, parts);
    };
    const who = whoTakesTurns(res);
    if (turns.countOf(who) >= load.state().limit * SHARE_OF_ONE_KEY) {
      refuse();
      return;
    }
    const begin = () => {
      // A turn may come to a request whose connection is closing with all that was sent on it.
      if (!req.socket.destroyed) next();
    };
    onHandedOver(req, res, turns.enter(who, begin, refuse));
  };
}

/**
 * A browser key is public: each client of it takes turns of its own, or one could hold up all others. So does the
 * dashboard, or the programs that use the same key could.
 */
function whoTakesTurns(res: Response): string {
  const { id } = callerOf(res).key;
  if (requestContextOf(res).isBySession === true) return `session ${id}`;
  return clientOfBrowserKey(res) ?? id;
}
