import { Field, ObjectType } from 'type-graphql';
import type { CertificateTrack } from '../../../../features/publishing/domains/domain.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DomainCertificateStateEnum } from './domain-enums.js';
import { DomainProblemType } from './domain-types.js';

@ObjectType('Site', {
  simpleResolvers: true,
  description:
    "The platform host of a project. It serves the project's site whether or not the project has custom domains.",
})
export class SiteType {
  @Field(() => String, {
    description: "The name of the host: a subdomain of the platform, named by the project's slug.",
  })
  host!: string;

  @Field(() => String, { description: 'The current URL of the site. It uses HTTPS as soon as HTTPS works.' })
  url!: string;

  @Field(() => Boolean, { description: 'Whether the site is currently served over HTTPS.' })
  isHttps!: boolean;

  @Field(() => DomainCertificateStateEnum, {
    description:
      "The state of the host's SSL certificate: the platform's certificate for all hosts, or the host's own, which the gateway requests after the first successful deploy.",
  })
  certificateState!: CertificateTrack['state'];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the SSL certificate expires, or null if there is none. The gateway renews it automatically before then.',
  })
  certificateExpiresAt?: Date | undefined;

  @Field(() => DomainProblemType, {
    nullable: true,
    description:
      "The problem that keeps the host from getting or renewing an SSL certificate, or null if there is none. The project's owner does not need to do anything.",
  })
  problem?: DomainProblemType | undefined;
}
