import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { DomainStatus } from '../../domains/domain.js';
import type { HealthCheck, SystemHealth } from '../../system/system-health.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DomainStatusEnum } from './domain-enums.js';
import { DomainProblemType } from './domain-types.js';

@ObjectType('HealthCheck', { simpleResolvers: true, description: 'One thing that was looked at.' })
export class HealthCheckType {
  @Field(() => String, { description: 'What, as /health/ready names it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether it is well.' })
  ok!: boolean;

  @Field(() => String, { nullable: true, description: 'What is the matter, or what else there is to say.' })
  detail?: string | undefined;
}

@ObjectType('DomainCount', { simpleResolvers: true, description: 'Domains of one status.' })
export class DomainCountType {
  @Field(() => DomainStatusEnum, { description: 'The status.' })
  status!: DomainStatus;

  @Field(() => Int, { description: 'How many.' })
  count!: number;
}

@ObjectType('ExpiringCertificate', {
  simpleResolvers: true,
  description:
    "A customer's domain, or a site's host on the platform, whose certificate ends soon or has ended.",
})
export class ExpiringCertificateType {
  @Field(() => ID, { description: 'The domain.' })
  domainId!: string;

  @Field(() => ID, { description: 'Its project.' })
  projectId!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'When the certificate ends.' })
  expiresAt!: Date;

  @Field(() => DomainProblemType, {
    nullable: true,
    description: 'What keeps it from being renewed, as far as is known.',
  })
  problem?: DomainProblemType | undefined;
}

@ObjectType('SystemHealth', {
  simpleResolvers: true,
  description: 'How the gateway that answers is, and what waits in its database.',
})
export class SystemHealthType {
  constructor(private readonly health: SystemHealth) {}

  @Field(() => Boolean, { description: 'Whether requests can be answered.' })
  get ready(): boolean {
    return this.health.ready;
  }

  @Field(() => String, { description: 'The version of the gateway.' })
  get version(): string {
    return this.health.version;
  }

  @Field(() => DateTimeScalar, { description: 'Since when this process runs.' })
  get startedAt(): Date {
    return this.health.startedAt;
  }

  @Field(() => [HealthCheckType], { description: 'What was looked at, now.' })
  get checks(): HealthCheck[] {
    return this.health.checks;
  }

  @Field(() => [DomainCountType], {
    description: "The customers' domains of all projects by status, statuses without any too.",
  })
  get domains(): DomainCountType[] {
    const counts = Object.entries(this.health.domains) as [DomainStatus, number][];
    return counts.map(([status, count]) => ({ status, count }));
  }

  @Field(() => Int, {
    description:
      "Customers' domains, and sites' hosts on the platform, that a look at DNS or a step to a certificate is due for.",
  })
  get domainsDue(): number {
    return this.health.domainsDue;
  }

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'Since when the longest of them waits: more than two minutes, and nobody does it. Null: nothing is due.',
  })
  get oldestDueAt(): Date | undefined {
    return this.health.oldestDueAt;
  }

  @Field(() => Boolean, {
    description: 'Whether the quota store is down: then each gateway admits its part of a limit.',
  })
  get quotaOutage(): boolean {
    return this.health.quotaOutage;
  }

  @Field(() => Int, { description: 'How many projects there are.' })
  get projects(): number {
    return this.health.projects;
  }

  @Field(() => Int, { description: 'How many API keys there are, revoked and expired ones too.' })
  get apiKeys(): number {
    return this.health.apiKeys;
  }
}
