import type { IncomingMessage } from 'node:http';

/** The slowest pace at which a client may send a body. */
export interface BodyPace {
  /** Initial time without a minimum pace, milliseconds. */
  graceMs: number;
  /** Minimum average pace after `graceMs`, bytes per second. */
  bytesPerSecond: number;
}

export interface PaceKeeper {
  /** Starts watching the body of a request, if it has one. Calls `tooSlow` at each check that finds it too slow. */
  watch: (req: WatchedRequest, tooSlow: () => void) => void;
  stop: () => void;
}

/** `bytesRead` grows with the bytes of the body, and may grow with others. */
export interface WatchedRequest extends Pick<
  IncomingMessage,
  'complete' | 'headers' | 'readableLength' | 'readableHighWaterMark'
> {
  socket: { bytesRead: number; destroyed: boolean };
  once: (event: 'close', listener: () => void) => unknown;
}

interface OpenBody {
  req: WatchedRequest;
  tooSlow: () => void;
  bytesBefore: number;
  /** How long the gateway has waited for the client to send, milliseconds. */
  waitedMs: number;
}

/**
 * Finds clients that send a body too slowly. Time in which the gateway itself does not read does not count.
 * @param checkMs interval between checks, milliseconds
 */
export function createPaceKeeper({ graceMs, bytesPerSecond }: BodyPace, checkMs: number): PaceKeeper {
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
        if (dueBytes > req.socket.bytesRead - body.bytesBefore) body.tooSlow();
      }
    }
  }

  return {
    watch(req, tooSlow) {
      const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
      if (length === undefined && coding === undefined) return;
      // Most bodies arrive together with their headers.
      process.nextTick(() => {
        if (req.complete) return;
        const body = { req, tooSlow, bytesBefore: req.socket.bytesRead, waitedMs: 0 };
        open.add(body);
        req.once('close', () => open.delete(body));
      });
    },
    stop: () => clearInterval(checks),
  };
}
