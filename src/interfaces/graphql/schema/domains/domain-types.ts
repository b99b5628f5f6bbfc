import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PublishedRecord } from '../../../../features/publishing/domains/dns/records-to-publish.js';
import {
  type DomainState,
  type CertificateTrack,
  type DnsTrack,
  type Domain,
  type DomainStatus,
} from '../../../../features/publishing/domains/domain.js';
import type { ProblemCode } from '../../../../features/publishing/domains/problem.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import {
  DomainCertificateStateEnum,
  DomainDnsStateEnum,
  DomainProblemCodeEnum,
  DomainStatusEnum,
} from './domain-enums.js';

@ObjectType('DnsRecord', {
  simpleResolvers: true,
  description:
    'A record to add in the DNS settings of the registrar. DNS changes may take up to 48 hours to propagate.',
})
export class DnsRecordType {
  @Field(() => String, {
    description:
      'CNAME for a subdomain; ALIAS, which some providers call ANAME, for an apex domain: not every DNS provider supports these. TXT where ownership has to be proved.',
  })
  type!: string;

  @Field(() => String, {
    description:
      'The name as DNS providers ask for it: the subdomain label, or @ for the apex domain itself.',
  })
  name!: string;

  @Field(() => String, { description: 'The name of the record in full, as DNS has it.' })
  fullName!: string;

  @Field(() => String, {
    description: 'What the record has to say: the platform host of the project, or the proof of ownership.',
  })
  value!: string;

  @Field(() => Int, { description: 'How long the record may be kept by others, in seconds.' })
  ttl!: number;
}

@ObjectType('DomainProblem', {
  simpleResolvers: true,
  description: 'Why a domain does not go on by itself, or not yet.',
})
export class DomainProblemType {
  @Field(() => DomainProblemCodeEnum, { description: 'What is wrong, for programs.' })
  code!: ProblemCode;

  @Field(() => String, { description: 'What is wrong and what to do next, for people.' })
  message!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What DNS should have said; null where the problem is not about records.',
  })
  expected?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'What DNS said instead; null where it said nothing, or the problem is not about records.',
  })
  found?: string | undefined;

  @Field(() => DateTimeScalar, { description: 'When the problem was last seen.' })
  at!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the gateway tries again by itself; null: only when Verify is chosen.',
  })
  retryAt?: Date | undefined;
}

/** A domain as somebody sees it at a moment, with what only its project knows. */
export interface DomainView {
  domain: Domain;
  records: PublishedRecord[];
  isPrimary: boolean;
  state: DomainState;
}

@ObjectType('Domain', {
  simpleResolvers: true,
  description: 'A domain or subdomain of a customer, which a project is published at.',
})
export class DomainType {
  constructor(private readonly view: DomainView) {}

  @Field(() => ID, { description: 'The id of the domain.' })
  get id(): string {
    return this.view.domain.id;
  }

  @Field(() => String, { description: 'The name in ASCII, as DNS has it.' })
  get name(): string {
    return this.view.domain.name;
  }

  @Field(() => String, {
    description: 'The name as people read it; in ASCII where its letters could deceive them.',
  })
  get unicodeName(): string {
    return this.view.domain.unicode;
  }

  @Field(() => Boolean, {
    description: 'Whether it is an apex domain (no subdomain), which needs an ALIAS or ANAME record.',
  })
  get isApex(): boolean {
    return this.view.domain.isApex;
  }

  @Field(() => DomainStatusEnum, { description: 'How far the domain is, in one word.' })
  get status(): DomainStatus {
    return this.view.state.status;
  }

  @Field(() => DomainDnsStateEnum, {
    description: 'What the DNS records of the domain say, as of the last look.',
  })
  get dnsState(): DnsTrack['state'] {
    return this.view.domain.dns.state;
  }

  @Field(() => DomainCertificateStateEnum, { description: 'How far the SSL certificate of the domain is.' })
  get certificateState(): CertificateTrack['state'] {
    return this.view.domain.certificate.state;
  }

  @Field(() => [DnsRecordType], {
    description:
      'The DNS records to add before choosing Verify: first the one that leads to the project, then the proof of ownership where one is due.',
  })
  get records(): DnsRecordType[] {
    return this.view.records;
  }

  @Field(() => DomainProblemType, {
    nullable: true,
    description: 'What stands in the way of the domain; null: nothing.',
  })
  get problem(): DomainProblemType | undefined {
    return this.view.state.problem;
  }

  @Field(() => Boolean, { description: 'Whether it is the primary domain of its project.' })
  get isPrimary(): boolean {
    return this.view.isPrimary;
  }

  @Field(() => DateTimeScalar, { description: 'When the domain was added to its project.' })
  get createdAt(): Date {
    return this.view.domain.createdAt;
  }

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the domain was verified; null: not yet.',
  })
  get verifiedAt(): Date | undefined {
    return this.view.domain.dns.verifiedAt;
  }

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the SSL certificate ends, before which it is renewed automatically; null: there is none.',
  })
  get certificateExpiresAt(): Date | undefined {
    return this.view.domain.certificate.current?.notAfter;
  }
}

@ObjectType('Redirect', {
  simpleResolvers: true,
  description: 'Sends visitors of one domain of a project to another, with path and query kept.',
})
export class RedirectType {
  @Field(() => String, { description: 'The domain that visitors asked for, in ASCII.' })
  from!: string;

  @Field(() => String, { description: 'The domain that visitors are sent to, in ASCII.' })
  to!: string;

  @Field(() => Int, { description: 'The HTTP status number of the redirect: 301, 302, 307 or 308.' })
  status!: number;
}
