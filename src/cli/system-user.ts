import { hostname, userInfo } from 'node:os';

/**
 * The operating system's user of this process: `alice@web-1`, or `1000@web-1` for a user without a name, as in
 * containers.
 */
export function systemUser(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
