import { hostname, userInfo } from 'node:os';

/** Who runs this process, by the operating system: `alice@web-1`; `1000@web-1` for a user that has no name, as in containers. */
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
