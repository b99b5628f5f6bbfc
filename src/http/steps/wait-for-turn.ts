import type { RequestHandler, Response } from 'express';
import { createTurns } from '../../lib/turns.js';
import { clientOfBrowserKey } from './browser-key.js';
import { callerOf, requestContextOf } from './request-context.js';
import { onHandedOver } from './on-finished.js';
import { answerOverloaded, type LoadParts } from './shed-load.js';

const MAX_WAIT_MS = 10_000;

/**
 * Makes the requests of one key take turns: at most `maxPerKey` at once, 0 for no limit. A waiting request is not
 * charged. If its client goes, the request is dropped. Mount it after the body is read: a client that sends slowly holds
 * no turn.
 */
export function waitForTurn(maxPerKey: number, parts: LoadParts): RequestHandler {
  const { load } = parts;
  const turns = createTurns(maxPerKey === 0 ? Infinity : maxPerKey, MAX_WAIT_MS);

  return (req, res, next) => {
    const refuse = () => {
      load.turnedAway();
      answerOverloaded(res, parts);
    };
    const begin = () => {
      // The turn may come after the connection has closed.
      if (!req.socket.destroyed) next();
    };
    onHandedOver(req, res, turns.enter(whoTakesTurns(res), begin, refuse));
  };
}

/**
 * Each client of a browser key takes its own turns: the key is public, and one client could hold up all others. The
 * dashboard also takes its own turns, because programs that use the same key could hold it up.
 */
function whoTakesTurns(res: Response): string {
  const { id } = callerOf(res).key;
  if (requestContextOf(res).isBySession === true) return `session ${id}`;
  return clientOfBrowserKey(res) ?? id;
}
