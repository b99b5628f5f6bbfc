import type { Actor } from '../audit/audit-record.js';
import type { Caller } from './caller.js';

/** In whose name a change is made: an authenticated caller, or a person at the machine's command line. */
export type Changer = Caller | CommandLineUser;

export interface CommandLineUser {
  role: 'command line';
  /** The operating system user: `alice@web-1`. */
  systemUser?: string | undefined;
}

export function isCaller(changer: Changer): changer is Caller {
  return 'key' in changer;
}

/** The actor that audit records name. */
export function actorOf(changer: Changer): Actor {
  if (!isCaller(changer)) return changer;
  const { id, role } = changer.key;
  return { keyId: id, role: role === 'admin' || role === 'staff' ? role : 'owner' };
}
