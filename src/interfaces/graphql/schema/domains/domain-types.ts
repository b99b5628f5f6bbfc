import { Field, ID, Int, ObjectType } from 'type-graphql';
import type {
  CertificateTrack,
  DnsTrack,
  DomainStatus,
} from '../../../../features/publishing/domains/domain.js';
import type { ProblemCode } from '../../../../features/publishing/domains/problem.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import {
  DomainCertificateStateEnum,
  DomainDnsStateEnum,
  DomainProblemCodeEnum,
  DomainStatusEnum,
} from './domain-enums.js';
import { Facts, SHORT_LIST } from '../../field-facts.js';

@ObjectType('DnsRecord', {
  simpleResolvers: true,
  description:
    'A record to add in the DNS settings of the registrar. DNS changes may take up to 48 hours to propagate.',
})
export class DnsRecordType {
  @Field(() => String, {
    description:
      '`CNAME` for a subdomain. `ALIAS`, which some providers call ANAME, for an apex domain; not every DNS provider supports it. `TXT` if ownership must be proved. `A` and `AAAA` in `alternativeRecords`.',
  })
  type!: string;

  @Field(() => String, {
    description:
      'The record name that DNS providers expect: the subdomain label, or @ for the apex domain itself.',
  })
  name!: string;

  @Field(() => String, { description: 'The fully qualified name of the record.' })
  fullName!: string;

  @Field(() => String, {
    description:
      'The value of the record: the platform host of the project, the ownership proof, or an address of the platform.',
  })
  value!: string;

  @Field(() => Int, { description: 'How long resolvers may cache the record, in seconds.' })
  ttl!: number;
}

@ObjectType('DomainProblem', {
  simpleResolvers: true,
  description: 'A problem that blocks or delays a domain or its certificate.',
})
export class DomainProblemType {
  @Field(() => DomainProblemCodeEnum, { description: 'The problem as a code, for programs.' })
  code!: ProblemCode;

  @Field(() => String, { description: 'The problem and what to do next, for people.' })
  message!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The expected DNS value. Null if the problem is not about records.',
  })
  expected?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description:
      'The DNS value that was found. Null if there was none, or if the problem is not about records.',
  })
  found?: string | undefined;

  @Field(() => DateTimeScalar, { description: 'When the gateway last saw the problem.' })
  at!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the gateway retries automatically. Null if it retries only after Verify is chosen.',
  })
  retryAt?: Date | undefined;
}

@ObjectType('Domain', {
  simpleResolvers: true,
  description: "A customer's domain or subdomain that a project is published at.",
})
export class DomainType {
  @Field(() => ID, { description: 'The id of the domain.' })
  id!: string;

  @Field(() => String, { description: 'The name in ASCII, as in DNS.' })
  name!: string;

  @Field(() => String, {
    description: 'The name in Unicode, or in ASCII if its letters could be mistaken for others.',
  })
  unicodeName!: string;

  @Field(() => Boolean, {
    description: 'Whether this is an apex domain (no subdomain), which needs an ALIAS or ANAME record.',
  })
  isApex!: boolean;

  @Field(() => DomainStatusEnum, { description: 'The overall status of the domain.' })
  status!: DomainStatus;

  @Field(() => DomainDnsStateEnum, {
    description: "The result of the last check of the domain's DNS records.",
  })
  dnsState!: DnsTrack['state'];

  @Field(() => DomainCertificateStateEnum, { description: "The state of the domain's SSL certificate." })
  certificateState!: CertificateTrack['state'];

  // Each looks up who else claims the name.
  @Facts({ weight: { mostItems: 5, areNodes: true, nodesOfEach: 6 } })
  @Field(() => [DnsRecordType], {
    description:
      'The DNS records to add before choosing Verify: first the record that points to the project, then the ownership proof if it is required.',
  })
  /** Looks up whether a proof of ownership is required, so it is called only for callers that ask for it. */
  records!: () => Promise<DnsRecordType[]>;

  @Facts(SHORT_LIST)
  @Field(() => [DnsRecordType], {
    description:
      'For an apex domain at a DNS provider without ALIAS and ANAME records: the A and AAAA records to add in place of the ALIAS record, in the order of `PLATFORM_ADDRESSES`. Empty for a subdomain, and if the platform has no fixed addresses.',
  })
  alternativeRecords!: DnsRecordType[];

  @Field(() => DomainProblemType, {
    nullable: true,
    description: 'The problem that blocks or delays the domain, or null if there is none.',
  })
  problem!: DomainProblemType | undefined;

  @Field(() => Boolean, { description: 'Whether this is the primary domain of its project.' })
  isPrimary!: boolean;

  @Field(() => DateTimeScalar, { description: 'When the domain was added to its project.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the domain was verified, or null if it is not verified yet.',
  })
  verifiedAt!: Date | undefined;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the SSL certificate expires, or null if there is none. The gateway renews it automatically before then.',
  })
  certificateExpiresAt!: Date | undefined;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When visitors lose the site unless something changes: the end of the grace period after a downgrade, or the end of the SSL certificate if the domain has a problem, whichever is earlier. Null if nothing ends, or if the domain is not served.',
  })
  servedUntil!: Date | undefined;
}

@ObjectType('Redirect', {
  simpleResolvers: true,
  description: 'A redirect from one domain of a project to another. It keeps the path and the query.',
})
export class RedirectType {
  @Field(() => String, { description: 'The domain that visitors request, in ASCII.' })
  from!: string;

  @Field(() => String, { description: 'The domain that visitors are sent to, in ASCII.' })
  to!: string;

  @Field(() => Int, { description: 'The HTTP status code of the redirect: 301, 302, 307 or 308.' })
  status!: number;
}
