import type { RawAnswer } from './raw-http.js';

/** One exchange as docs/http.md shows it: what a reader types, and what comes back. */
export interface Exchange {
  curl: string;
  answer: RawAnswer;
}

/**
 * What differs from run to run, and what stands in its place. What is stable (an ETag of the same bytes, a limit)
 * is kept as it is.
 */
const PLACEHOLDERS: readonly [RegExp, string][] = [
  [/^(Date|date): .*$/gm, '$1: <date>'],
  [/^(X-Request-Id): .*$/gm, '$1: <request id>'],
  [/("requestId":)"[^"]*"/g, '$1"<request id>"'],
  [/^(X-RateLimit-Reset): [0-9]+$/gm, '$1: <Unix seconds>'],
  [/;t=[0-9]+/g, ';t=<seconds>'],
  [/^(Retry-After): [0-9]+$/gm, '$1: <seconds>'],
  [/("resetAt":)"[^"]*"/g, '$1"<time>"'],
  [/("retryAfterSeconds":)[0-9]+/g, '$1<seconds>'],
  [/Retry in [0-9]+ s/g, 'Retry in <seconds> s'],
];

export function renderTranscript(exchanges: readonly Exchange[]): string {
  return exchanges
    .map(({ curl, answer }) => {
      const body = answer.body === '' ? [] : ['', answer.body];
      const text = [`$ ${curl}`, answer.head.replaceAll('\r\n', '\n'), ...body].join('\n');
      return PLACEHOLDERS.reduce((shown, [volatile, stable]) => shown.replace(volatile, stable), text);
    })
    .join('\n\n');
}
