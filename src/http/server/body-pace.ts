import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How slowly a client may send a body. */
export interface BodyPace {
  /** For so long it may be as slow as it likes, milliseconds. */
  graceMs: number;
  /** What it has to send after that, on average. */
  bytesPerSecond: number;
}

export interface PaceKeeper {
  /** Watches over the body of a request, if it has one. */
  watch: (req: IncomingMessage) => void;
  stop: () => void;
}

interface OpenBody {
  req: IncomingMessage;
  bytesBefore: number;
  /** For how long it was the client's turn to send. */
  waitedMs: number;
}

/**
 * Finds clients that send a body too slowly; time in which the gateway itself does not read is not theirs.
 * @param checkMs how often bodies are looked at
 * @param tooSlow called for each check that finds a connection too slow
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
        // The time of the clock would blame the client for a process that was stopped.
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
      // Most bodies come with their head.
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
