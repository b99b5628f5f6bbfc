import { DAY_MS, HOUR_MS } from '../../../lib/clock.js';

/** A CA's renewal information for one certificate (RFC 9773, 4.2). */
export interface RenewalAdvice {
  window: { start: Date; end: Date };
  /** A page that explains the window to people, if the CA has one. */
  explanationUrl: string | undefined;
  retryAfterMs: number | undefined;
}

/** When to renew a certificate. Stored with the certificate. */
export interface RenewalPlan {
  renewAt: Date;
  /** When to ask the CA again. A CA moves the window when it must revoke certificates. */
  askAgainAt: Date;
  /** The CA's window that `renewAt` was drawn from; undefined if `renewAt` follows from the lifetime. */
  window: { start: Date; end: Date } | undefined;
  explanationUrl: string | undefined;
}

export interface RenewalQuestion {
  certificate: { notBefore: Date; notAfter: Date };
  /** Undefined if the CA has no advice or did not answer. */
  advice: RenewalAdvice | undefined;
  /** The previous plan for this certificate. */
  previous: RenewalPlan | undefined;
  nowMs: number;
  /** Returns a number in [0, 1). */
  random: () => number;
}

/**
 * RFC 9773, 4.3: waits under a minute become a minute, waits over a day become a day. After an error the wait is 6
 * hours.
 */
const MIN_WAIT_MS = 60 * 1000;
const MAX_WAIT_MS = DAY_MS;
const DEFAULT_WAIT_MS = 6 * HOUR_MS;

/**
 * Draws a random moment from the CA's window, once per window. If every question drew again, the earliest draw would
 * win and all certificates would be renewed at the start of the window. Without a usable window, renews when a third of
 * the lifetime is left.
 */
export function planRenewal({ certificate, advice, previous, nowMs, random }: RenewalQuestion): RenewalPlan {
  const waitMs = advice?.retryAfterMs ?? DEFAULT_WAIT_MS;
  const askAgainAt = new Date(nowMs + Math.min(Math.max(waitMs, MIN_WAIT_MS), MAX_WAIT_MS));
  if (advice === undefined && previous !== undefined) return { ...previous, askAgainAt };
  if (advice === undefined || !isUsable(advice.window, certificate))
    return {
      renewAt: oneThirdLeft(certificate),
      askAgainAt,
      window: undefined,
      explanationUrl: advice?.explanationUrl,
    };
  const { window, explanationUrl } = advice;
  const renewAt = isSame(window, previous?.window) ? previous?.renewAt : undefined;
  return { renewAt: renewAt ?? momentIn(window, random), askAgainAt, window, explanationUrl };
}

type Window = RenewalAdvice['window'];
type Lifetime = RenewalQuestion['certificate'];

/**
 * Ignores a window whose end is not after its start, as RFC 9773, 4.2 requires. Also ignores a window that ends after
 * the certificate expires, which is too late.
 */
function isUsable({ start, end }: Window, { notAfter }: Lifetime): boolean {
  return end > start && end <= notAfter;
}

function isSame(a: Window, b: Window | undefined): boolean {
  return a.start.getTime() === b?.start.getTime() && a.end.getTime() === b.end.getTime();
}

function momentIn({ start, end }: Window, random: () => number): Date {
  return new Date(start.getTime() + Math.floor(random() * (end.getTime() - start.getTime())));
}

function oneThirdLeft({ notBefore, notAfter }: Lifetime): Date {
  return new Date(notAfter.getTime() - Math.floor((notAfter.getTime() - notBefore.getTime()) / 3));
}
