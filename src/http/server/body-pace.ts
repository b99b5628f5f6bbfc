import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The slowest pace at which a client may send a body. */
export interface BodyPace {
  /** Initial time without a minimum pace, milliseconds. */
  graceMs: number;
  /** Minimum average pace after `graceMs`, bytes per second. */
  bytesPerSecond: number;
}

export interface PaceKeeper {
  /** Starts watching the body of a request, if it has one. */
  watch: (req: IncomingMessage) => void;
  stop: () => void;
}

interface OpenBody {
  req: IncomingMessage;
  bytesBefore: number;
  /** How long the gateway has waited for the client to send, milliseconds. */
  waitedMs: number;
}

/**
 * Finds clients that send a body too slowly. Time in which the gateway itself does not read does not count.
 * @param checkMs interval between checks, milliseconds
 * @param tooSlow called at each check that finds a connection too slow
 */
export function createPaceKeeper(
  { graceMs, bytesPerSecond }: BodyPace,
  checkMs: number,
  tooSlow: (socket: Socket) => void,
): PaceKeeper {
  const open = new Set<OpenBody>();
  const checks = setInterval(check, checkMs).unref();

  function check(): void {
    for (const body of open) {
      const { req } = body;
      if (req.complete || req.socket.destroyed) open.delete(body);
      else if (req.readableLength < req.readableHighWaterMark) {
        // Counts checks, not clock time: clock time would blame the client while this process is stopped.
        body.waitedMs += checkMs;
        const dueBytes = ((body.waitedMs - graceMs) / 1000) * bytesPerSecond;
        if (dueBytes > req.socket.bytesRead - body.bytesBefore) tooSlow(req.socket);
      }
    }
  }

  return {
    watch(req) {
      const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
      if (length === undefined && coding === undefined) return;
      // Most bodies arrive together with their headers.
      process.nextTick(() => {
        if (req.complete) return;
        const body = { req, bytesBefore: req.socket.bytesRead, waitedMs: 0 };
        open.add(body);
        req.once('close', () => open.delete(body));
      });
    },
    stop: () => clearInterval(checks),
  };
}
