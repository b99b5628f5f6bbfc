export const ACTOR_ROLES = ['staff', 'owner', 'admin', 'command line', 'gateway'] as const;

/** The source of a change: a key, a person at the machine's command line, or the gateway itself. */
export interface Actor {
  /** The id of a staff, owner or admin key. */
  keyId?: string | undefined;
  /** The operating system user at the command line: `alice@web-1`. */
  systemUser?: string | undefined;
  role: (typeof ACTOR_ROLES)[number];
}

export const AUDIT_ACTIONS = [
  'project.create',
  'project.update',
  'project.changePlan',
  'project.delete',
  'apiKey.create',
  'apiKey.update',
  'apiKey.rotate',
  'apiKey.disable',
  'apiKey.enable',
  'apiKey.revoke',
  'invitation.create',
  'invitation.accept',
  'pet.create',
  'pet.update',
  'pet.delete',
  'pet.deleteAll',
  'quota.reset',
  'ban.lift',
  'deploy.create',
  'deploy.publish',
  'deploy.rollback',
  'pets.import',
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
  'session.end',
  'session.createLink',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The target of a change. Includes the project if there is one, so that the project's owner can read the record. */
export interface AuditTarget {
  projectId?: string | undefined;
  apiKeyId?: string | undefined;
  /** The id of a pet, in decimal digits. */
  petId?: string | undefined;
}

/** The part of the target's state that the action changes. Never contains a secret or its hash. */
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
