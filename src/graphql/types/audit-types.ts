import { Field, ID, ObjectType } from 'type-graphql';
import type { AuditRecord, AuditState } from '../../audit/audit-record.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { PageInfoType } from './page-info.js';

@ObjectType('AuditValue', {
  simpleResolvers: true,
  description: 'One property before and after a change; null: it did not exist.',
})
export class AuditValueType {
  @Field(() => String, { description: 'Which property.' })
  property!: string;

  @Field(() => String, { nullable: true, description: 'Its value before.' })
  before?: string | undefined;

  @Field(() => String, { nullable: true, description: 'Its value after.' })
  after?: string | undefined;
}

@ObjectType('AuditRecord', {
  simpleResolvers: true,
  description: 'Who changed what and when. Records are never altered.',
})
export class AuditRecordType {
  constructor(readonly record: AuditRecord) {}

  @Field(() => ID, { description: 'Its id.' })
  get id(): string {
    return this.record.id;
  }

  @Field(() => DateTimeScalar, { description: 'When.' })
  get at(): Date {
    return this.record.at;
  }

  @Field(() => ID, { nullable: true, description: 'The key that made the change; null: the command line.' })
  get actorKeyId(): string | undefined {
    return this.record.actor.keyId;
  }

  @Field(() => String, { description: 'owner, admin, or command line.' })
  get actorRole(): string {
    return this.record.actor.role;
  }

  @Field(() => String, { description: 'Such as project.changePlan.' })
  get action(): string {
    return this.record.action;
  }

  @Field(() => ID, { nullable: true, description: 'The project it is about.' })
  get projectId(): string | undefined {
    return this.record.target.projectId;
  }

  @Field(() => ID, { nullable: true, description: 'The key it is about.' })
  get apiKeyId(): string | undefined {
    return this.record.target.apiKeyId;
  }

  @Field(() => [AuditValueType], { description: 'The properties that the change altered.' })
  get changes(): AuditValueType[] {
    const { before, after } = this.record;
    return Object.keys(after)
      .map((property) => ({ property, before: textOf(before, property), after: textOf(after, property) }))
      .filter((value) => value.before !== value.after);
  }
}

@ObjectType('AuditEdge', { simpleResolvers: true, description: 'A record in a connection.' })
export class AuditEdgeType {
  @Field(() => AuditRecordType, { description: 'The record.' })
  node!: AuditRecordType;

  @Field(() => String, { description: 'Its place in the list.' })
  cursor!: string;
}

@ObjectType('AuditConnection', {
  simpleResolvers: true,
  description: 'A page of audit records, newest first.',
})
export class AuditConnectionType {
  @Field(() => [AuditEdgeType], { description: 'The records of this page.' })
  edges!: AuditEdgeType[];

  @Field(() => PageInfoType, { description: 'What lies before and after this page.' })
  pageInfo!: PageInfoType;
}

function textOf(state: AuditState | undefined, property: string): string | undefined {
  const value = state?.[property];
  return value === null || value === undefined ? undefined : String(value);
}
