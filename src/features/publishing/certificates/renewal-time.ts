/** What a CA says about one certificate (RFC 9773, 4.2). */
export interface RenewalAdvice {
  window: { start: Date; end: Date };
  /** A page for people that says why, where the CA has one. */
  explanationUrl: string | undefined;
  retryAfterMs: number | undefined;
}

/** When to renew a certificate, to be stored beside it. */
export interface RenewalPlan {
  renewAt: Date;
  /** When to ask the CA again: it moves the window when it has to revoke certificates. */
  askAgainAt: Date;
  /** The CA's window that `renewAt` was drawn from; absent where the lifetime decided. */
  window: { start: Date; end: Date } | undefined;
  explanationUrl: string | undefined;
}

export interface RenewalQuestion {
  certificate: { notBefore: Date; notAfter: Date };
  /** Undefined when the CA has none, or could not be asked. */
  advice: RenewalAdvice | undefined;
  /** What was planned for this certificate before. */
  previous: RenewalPlan | undefined;
  nowMs: number;
  /** In [0, 1). */
  random: () => number;
}

/** RFC 9773, 4.3: less than a minute counts as one, more than a day as one, and after an error it is 6 hours. */
const MIN_WAIT_MS = 60 * 1000;
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;
const DEFAULT_WAIT_MS = 6 * 60 * 60 * 1000;

/**
 * A random moment of the CA's window, drawn once for each window: drawn anew at every question, the earliest draw would
 * win, and all certificates would be renewed at its start. Without a usable window, when a third of the lifetime is left.
 */
export function planRenewal({ certificate, advice, previous, nowMs, random }: RenewalQuestion): RenewalPlan {
  const waitMs = advice?.retryAfterMs ?? DEFAULT_WAIT_MS;
  const askAgainAt = new Date(nowMs + Math.min(Math.max(waitMs, MIN_WAIT_MS), MAX_WAIT_MS));
  if (advice === undefined && previous !== undefined) return { ...previous, askAgainAt };
  if (advice === undefined || !isUsable(advice.window, certificate)) {
    return {
      renewAt: oneThirdLeft(certificate),
      askAgainAt,
      window: undefined,
      explanationUrl: advice?.explanationUrl,
    };
  }
  const { window, explanationUrl } = advice;
  const renewAt = isSame(window, previous?.window) ? previous?.renewAt : undefined;
  return { renewAt: renewAt ?? momentIn(window, random), askAgainAt, window, explanationUrl };
}

type Window = RenewalAdvice['window'];
type Lifetime = RenewalQuestion['certificate'];

/** RFC 9773, 4.2: an end that is not after the start is to be ignored. One after the certificate's own is too late. */
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
