import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { DomainStatus } from '../../../../features/publishing/domains/domain.js';
import type { HealthCheck, SystemHealth } from '../../../../features/system/system-health.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DomainStatusEnum } from '../domains/domain-enums.js';
import { DomainProblemType } from '../domains/domain-types.js';

@ObjectType('HealthCheck', {
  simpleResolvers: true,
  description: 'One part of what the gateway depends on, and how it is.',
})
export class HealthCheckType {
  @Field(() => String, { description: 'The name of the part, as /health/ready has it.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether the part is well.' })
  ok!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'What is the matter, or what else there is to say; null: nothing.',
  })
  detail?: string | undefined;
}

@ObjectType('DomainCount', { simpleResolvers: true, description: 'How many domains have one status.' })
export class DomainCountType {
  @Field(() => DomainStatusEnum, { description: 'The status that was counted.' })
  status!: DomainStatus;

  @Field(() => Int, { description: 'The number of domains with this status.' })
  count!: number;
}

@ObjectType('ExpiringCertificate', {
  simpleResolvers: true,
  description:
    "A customer's domain, or a site's host on the platform, whose certificate ends soon or has ended.",
})
export class ExpiringCertificateType {
  @Field(() => ID, { description: 'The id of the domain or of the host.' })
  domainId!: string;

  @Field(() => ID, { description: 'The id of the project that is published there.' })
  projectId!: string;

  @Field(() => String, { description: 'The name that the certificate is for, in ASCII.' })
  name!: string;

  @Field(() => DateTimeScalar, { description: 'When the certificate ends, or ended.' })
  expiresAt!: Date;

  @Field(() => DomainProblemType, {
    nullable: true,
    description: 'What keeps the certificate from being renewed; null: nothing that is known.',
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

  @Field(() => String, { description: 'The version of the software, which is not that of the interface.' })
  get version(): string {
    return this.health.version;
  }

  @Field(() => DateTimeScalar, { description: 'When the process that answers was started.' })
  get startedAt(): Date {
    return this.health.startedAt;
  }

  @Field(() => [HealthCheckType], {
    description: 'What was looked at for this answer, in no particular order.',
  })
  get checks(): HealthCheck[] {
    return this.health.checks;
  }

  @Field(() => [DomainCountType], {
    description:
      "The number of customers' domains of all projects by status, in no particular order. A status without any has 0.",
  })
  get domains(): DomainCountType[] {
    const counts = Object.entries(this.health.domains) as [DomainStatus, number][];
    return counts.map(([status, count]) => ({ status, count }));
  }

  @Field(() => Int, {
    description:
      "The number of customers' domains, and of sites' hosts on the platform, that a look at DNS or a step to a certificate is due for.",
  })
  get domainsDue(): number {
    return this.health.domainsDue;
  }

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'Since when the longest of them waits: if that is more than two minutes, nobody does the work. Null: nothing is due.',
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

  @Field(() => Int, { description: 'The number of projects, about: what MongoDB knows without counting.' })
  get projects(): number {
    return this.health.projects;
  }

  @Field(() => Int, {
    description:
      'The number of API keys, revoked and expired ones too, about: what MongoDB knows without counting.',
  })
  get apiKeys(): number {
    return this.health.apiKeys;
  }
}
