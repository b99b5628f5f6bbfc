import { Field, ID, ObjectType } from 'type-graphql';
import type { AuditRecord, AuditState } from '../../../../features/audit/audit-record.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PageInfoType } from '../page-info.js';

@ObjectType('AuditValue', {
  simpleResolvers: true,
  description: 'One property of what was changed, before and after.',
})
export class AuditValueType {
  @Field(() => String, { description: 'The name of the property.' })
  property!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its value before the change, as text; null: it had none.',
  })
  before?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Its value after the change, as text; null: it has none.',
  })
  after?: string | undefined;
}

@ObjectType('AuditRecord', {
  simpleResolvers: true,
  description:
    'A change: who made it, when, and of what. Records are never altered, but for sign-ins and sign-outs: one record counts those of a key within an hour, as `repeats` and `lastAt`.',
})
export class AuditRecordType {
  constructor(readonly record: AuditRecord) {}

  @Field(() => ID, { description: 'The id of the record. A later record has a greater one.' })
  get id(): string {
    return this.record.id;
  }

  @Field(() => DateTimeScalar, { description: 'When the change was made.' })
  get at(): Date {
    return this.record.at;
  }

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that made the change; null for the command line and the gateway itself.',
  })
  get actorKeyId(): string | undefined {
    return this.record.actor.keyId;
  }

  @Field(() => String, {
    description:
      'Who made the change: `owner`, `admin`, `command line`, or `gateway` for what it did by itself.',
  })
  get actorRole(): string {
    return this.record.actor.role;
  }

  @Field(() => String, {
    description: 'What was done, such as `project.changePlan`. More actions may be added.',
  })
  get action(): string {
    return this.record.action;
  }

  @Field(() => ID, { nullable: true, description: 'The id of that project; null where there is none.' })
  get projectId(): string | undefined {
    return this.record.target.projectId;
  }

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that was changed; null where the change is not about a key.',
  })
  get apiKeyId(): string | undefined {
    return this.record.target.apiKeyId;
  }

  @Field(() => [AuditValueType], {
    description: 'The properties that the change altered, in no particular order.',
  })
  get changes(): AuditValueType[] {
    const { before, after } = this.record;
    return Object.keys(after)
      .map((property) => ({ property, before: textOf(before, property), after: textOf(after, property) }))
      .filter((value) => value.before !== value.after);
  }
}

@ObjectType('AuditEdge', { simpleResolvers: true, description: 'An audit record at its place in the list.' })
export class AuditEdgeType {
  @Field(() => AuditRecordType, { description: 'The record at this place.' })
  node!: AuditRecordType;

  @Field(() => String, {
    description: 'The place of the record in the list: pass it as `after` for older ones.',
  })
  cursor!: string;
}

@ObjectType('AuditConnection', {
  simpleResolvers: true,
  description: 'A page of audit records, newest first.',
})
export class AuditConnectionType {
  @Field(() => [AuditEdgeType], { description: 'The records of this page, newest first.' })
  edges!: AuditEdgeType[];

  @Field(() => PageInfoType, {
    description: 'Whether there are records before and after this page, and where to go on.',
  })
  pageInfo!: PageInfoType;
}

function textOf(state: AuditState | undefined, property: string): string | undefined {
  const value = state?.[property];
  return value === null || value === undefined ? undefined : String(value);
}
