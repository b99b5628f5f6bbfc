import { Field, ObjectType } from 'type-graphql';
import type { CertificateTrack } from '../../../../features/publishing/domains/domain.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { DomainCertificateStateEnum } from './domain-enums.js';
import { DomainProblemType } from './domain-types.js';

@ObjectType('Site', {
  simpleResolvers: true,
  description:
    'The host of a project on the platform, which serves it whether it has domains of its own or not.',
})
export class SiteType {
  @Field(() => String, {
    description: "The name of the host: the project's slug under the host of the platform.",
  })
  host!: string;

  @Field(() => String, { description: 'Where visitors find it at this moment: over HTTPS once that works.' })
  url!: string;

  @Field(() => Boolean, { description: 'Whether visitors are served over HTTPS at this moment.' })
  isHttps!: boolean;

  @Field(() => DomainCertificateStateEnum, {
    description:
      "How far its SSL certificate is, whether that is the platform's for all hosts or its own, which is asked for once something is deployed.",
  })
  certificateState!: CertificateTrack['state'];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description:
      'When the SSL certificate ends, before which it is renewed automatically; null: there is none.',
  })
  certificateExpiresAt?: Date | undefined;

  @Field(() => DomainProblemType, {
    nullable: true,
    description:
      'Why it has no SSL certificate, or not the next one; null: there is nothing the matter. There is nothing to do for its owner.',
  })
  problem?: DomainProblemType | undefined;
}
