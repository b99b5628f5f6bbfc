import { createHash } from 'node:crypto';

/** What the work below takes on the core that the bounds are stated for, milliseconds. */
const REFERENCE_MS = 20;
const TRIES = 5;

const TEXT = JSON.stringify(
  Array.from({ length: 400 }, (_, id) => ({ id, name: `Rex ${id}`, status: 'sold' })),
);

/** How many times slower than the reference this machine is at the moment; 1 for one that is as fast, or faster. */
export function slowness(): number {
  const tries = Array.from({ length: TRIES }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...tries) / REFERENCE_MS);
}

/** Half of it is what V8 does, half of it OpenSSL. */
function work(): void {
  for (let i = 0; i < 40; i++) {
    const text = JSON.stringify(JSON.parse(TEXT));
    for (let j = 0; j < 10; j++) createHash('sha256').update(text).digest();
  }
}
