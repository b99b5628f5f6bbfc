import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { changesOf } from '../../../../features/audit/changes.js';
import type { AuditRecord } from '../../../../features/audit/audit-record.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { Int64Scalar } from '../int64-scalar.js';
import { PageInfoType } from '../paging.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@InputType('AuditLogFilter', {
  description:
    'Which changes to return: those that match all of these. A field that is null or omitted excludes none.',
})
export class AuditLogFilter {
  @Field(() => String, {
    nullable: true,
    description:
      'Only changes with this action, such as `project.changePlan`. If null or omitted, all actions.',
  })
  action?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only changes by actors with this role: `staff`, `owner`, `admin`, `command line` or `gateway`. If null or omitted, all actors.',
  })
  actorRole?: string | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Only changes from this time on. If null or omitted, from the first.',
  })
  from?: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Only changes before this time. If null or omitted, up to the newest.',
  })
  to?: Date | null;
}

@ObjectType('AuditValue', {
  simpleResolvers: true,
  description: 'A property of the changed object, before and after the change.',
})
export class AuditValueType {
  @Field(() => String, { description: 'The name of the property.' })
  property!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The value before the change, as text, or null if the property had no value.',
  })
  before!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The value after the change, as text, or null if the property has no value.',
  })
  after!: string | null;
}

@ObjectType('AuditRecord', {
  simpleResolvers: true,
  description:
    'A change: who made it, when, and what changed. Records never change, with one exception: all sign-ins of a key within a UTC hour share one record, which counts them as `repeats` and `lastAt`. The same holds for sign-outs and for sessions that were ended.',
})
export class AuditRecordType {
  /** What the resolvers of its other fields read. */
  readonly record!: AuditRecord;

  @Field(() => ID, { description: 'The id of the record. Later records have greater ids.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When the change was made.' })
  at!: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that made the change. Null if the command line or the gateway made it.',
  })
  actorKeyId!: string | undefined;

  @Field(() => String, {
    description:
      'Who made the change: `staff`, `owner`, `admin`, `command line`, or `gateway` for changes that the gateway makes automatically.',
  })
  actorRole!: string;

  @Field(() => String, {
    description: 'The action, such as `project.changePlan`. More actions may be added.',
  })
  action!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the project that was changed, or that the changed object belongs to. Null if there is none.',
  })
  projectId!: string | undefined;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the key that was changed. Null if the change is not about a key.',
  })
  apiKeyId!: string | undefined;

  @Field(() => Int64Scalar, {
    nullable: true,
    description: 'The id of the pet that was changed. Null if the change is not about one pet.',
  })
  petId!: bigint | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      'The name of the pet after the change, or before it was removed. Null if the change is not about one pet.',
  })
  petName!: string | undefined;

  @Facts(SHORT_LIST)
  @Field(() => [AuditValueType], {
    description: 'The changed properties, in no particular order.',
  })
  changes!: AuditValueType[];

  static of(record: AuditRecord): AuditRecordType {
    const { id, at, action, actor, target } = record;
    return {
      record,
      id,
      at,
      action,
      actorKeyId: actor.keyId,
      actorRole: actor.role,
      projectId: target.projectId,
      apiKeyId: target.apiKeyId,
      petId: target.petId === undefined ? undefined : BigInt(target.petId),
      petName: target.petId === undefined ? undefined : nameIn(record),
      changes: changesOf(record),
    };
  }
}

/** Records of pets have all fields of the pet. */
function nameIn({ before, after }: AuditRecord): string | undefined {
  const name = after['name'] ?? before?.['name'];
  return name == null ? undefined : String(name);
}

@ObjectType('AuditEdge', {
  simpleResolvers: true,
  description: 'An audit record and its cursor in the list.',
})
export class AuditEdgeType {
  @Field(() => AuditRecordType, { description: 'The record at this position.' })
  node!: AuditRecordType;

  @Field(() => String, {
    description: 'The cursor of the record. Pass it as `after` to get older records.',
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
    description: 'Whether there are records before and after this page, and the cursors to continue from.',
  })
  pageInfo!: PageInfoType;
}
