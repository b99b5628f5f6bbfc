import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { DomainStatus } from '../../../../features/publishing/domains/domain.js';
import type { SystemHealth } from '../../../../features/system/system-health.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DomainStatusEnum } from '../domains/domain-enums.js';
import { DomainProblemType } from '../domains/domain-types.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@ObjectType('HealthCheck', {
  simpleResolvers: true,
  description: 'A health check of one part that the gateway depends on.',
})
export class HealthCheckType {
  @Field(() => String, { description: 'The name of the check, as in /health/ready.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the check passed.' })
  ok!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'A message about the check, or null if there is nothing to report.',
  })
  detail?: string | undefined;
}

@ObjectType('DomainCount', { simpleResolvers: true, description: 'The number of domains with one status.' })
export class DomainCountType {
  @Field(() => DomainStatusEnum, { description: 'The status that was counted.' })
  status!: DomainStatus;

  @Field(() => Int, { description: 'The number of domains with this status.' })
  count!: number;
}

@ObjectType('ExpiringCertificate', {
  simpleResolvers: true,
  description:
    "A customer's domain, or the platform host of a site, whose certificate expires soon or has expired.",
})
export class ExpiringCertificateType {
  @Field(() => ID, { description: 'The id of the domain or of the platform host.' })
  domainId!: string;

  @Field(() => ID, { description: 'The id of the project that is published there.' })
  projectId!: string;

  @Field(() => String, { description: 'The name that the certificate was issued for, in ASCII.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'When the certificate expires or expired.' })
  expiresAt!: Date;

  @Field(() => DomainProblemType, {
    nullable: true,
    description: 'The problem that keeps the certificate from being renewed, or null if no problem is known.',
  })
  problem?: DomainProblemType | undefined;
}

@ObjectType('DomainNeedingAction', {
  simpleResolvers: true,
  description: "A customer's domain that does not work until somebody acts.",
})
export class DomainNeedingActionType {
  @Field(() => ID, { description: 'The id of the domain, for `domain(id:)`.' })
  domainId!: string;

  @Field(() => ID, { description: 'The id of the project that added the domain.' })
  projectId!: string;

  @Field(() => String, { description: 'The name of the domain, in ASCII.' })
  name!: string;

  @Field(() => DomainProblemType, {
    nullable: true,
    description:
      'The problem to solve. Null if the certificate is more than 30 minutes late and no problem is known.',
  })
  problem?: DomainProblemType | undefined;
}

@ObjectType('SystemHealth', {
  simpleResolvers: true,
  description: 'The status of the gateway process that responds, and of the work that waits in its database.',
})
export class SystemHealthType {
  @Field(() => Boolean, { description: 'Whether the gateway can respond to requests.' })
  ready!: boolean;

  @Field(() => String, { description: 'The version of the gateway software, not of the API.' })
  version!: string;

  @Field(() => DateTimeScalar, { description: 'When the gateway process that responds was started.' })
  startedAt!: Date;

  @Facts(SHORT_LIST)
  @Field(() => [HealthCheckType], {
    description: 'The checks made for this response, in no particular order.',
  })
  checks!: HealthCheckType[];

  @Facts(SHORT_LIST)
  @Field(() => [DomainCountType], {
    description:
      "The number of customers' domains of all projects for each status, in no particular order. A status without domains has the count 0.",
  })
  domains!: DomainCountType[];

  @Field(() => Int, {
    description:
      "The number of customers' domains and platform hosts that are due for a DNS check or a certificate step.",
  })
  domainsDue!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the longest-waiting of these domains and hosts became due. If that is more than two minutes ago, no process is doing the work. Null if nothing is due.',
  })
  oldestDueAt!: Date | undefined;

  @Field(() => Boolean, {
    description:
      'Whether the quota store is down. During an outage, each process admits its share of what it last knew to remain.',
  })
  quotaOutage!: boolean;

  @Field(() => Int, {
    description: 'The approximate number of projects, which MongoDB estimates without counting.',
  })
  projects!: number;

  @Field(() => Int, {
    description:
      'The approximate number of API keys, including revoked and expired keys, which MongoDB estimates without counting.',
  })
  apiKeys!: number;

  static of(health: SystemHealth): SystemHealthType {
    const counts = Object.entries(health.domains) as [DomainStatus, number][];
    return { ...health, domains: counts.map(([status, count]) => ({ status, count })) };
  }
}
