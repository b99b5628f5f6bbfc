/** Who made a change: a key, a person at the command line of the machine, or the gateway by itself. */
export interface Actor {
  /** Of an owner or admin. */
  keyId?: string | undefined;
  /** At the command line, by the operating system: `alice@web-1`. */
  systemUser?: string | undefined;
  role: 'owner' | 'admin' | 'command line' | 'gateway';
}

export const AUDIT_ACTIONS = [
  'project.create',
  'project.changePlan',
  'project.delete',
  'apiKey.create',
  'apiKey.rotate',
  'apiKey.revoke',
  'quota.reset',
  'ban.lift',
  'deploy.create',
  'deploy.publish',
  'deploy.rollback',
  'domain.add',
  'domain.verify',
  'domain.setPrimary',
  'domain.remove',
  'domain.verified',
  'domain.lost',
  'redirect.set',
  'redirect.remove',
  'session.signIn',
  'session.signOut',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What was changed: the project always where there is one, so that its owner can read it. */
export interface AuditTarget {
  projectId?: string | undefined;
  apiKeyId?: string | undefined;
}

/** The state of a target as far as the action is about it. Never a secret or its hash. */
export type AuditState = Readonly<Record<string, string | number | null>>;

export interface AuditRecord {
  /** Ordered by time, to the second: a later record has a greater id. */
  id: string;
  at: Date;
  actor: Actor;
  action: AuditAction;
  target: AuditTarget;
  before: AuditState | undefined;
  after: AuditState;
}
