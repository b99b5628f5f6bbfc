import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { InvitedPerson } from '../../../../features/keys/api-keys-service.js';
import { INVITATION_FRAGMENT } from '../../../../features/keys/sessions/sign-in-fragment.js';
import type { Clock } from '../../../../lib/clock.js';
import { DateTimeScalar } from '../date-time-scalar.js';
import { ApiKeyType } from './api-key-types.js';

@InputType({ description: 'The person to invite.' })
export class CreateInvitationInput {
  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the project. Required with an admin key. If null or omitted, the project of the owner.',
  })
  projectId?: string | null;

  @Field(() => String, {
    description: 'The name of the person, which the audit log shows, 1 to 100 characters.',
  })
  name!: string;
}

@InputType({ description: 'The person who needs a new invitation.' })
export class RenewInvitationInput {
  @Field(() => ID, { description: "The id of the person's staff key." })
  apiKeyId!: string;
}

/** What both mutations return. */
@ObjectType({ simpleResolvers: true })
abstract class InvitationPayload {
  @Field(() => ApiKeyType, {
    description: 'The staff key. Nobody knows a secret of it until the person accepts.',
  })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      "The path of the link to give to the person: append it to the gateway's address. It contains the invitation, is shown only once, and works once.",
  })
  path!: string;

  @Field(() => DateTimeScalar, { description: 'When the invitation expires, 7 days after it was created.' })
  expiresAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'The invitation, and the staff key of the person.' })
export class CreateInvitationPayload extends InvitationPayload {}

@ObjectType({ simpleResolvers: true, description: 'The new invitation, and the staff key of the person.' })
export class RenewInvitationPayload extends InvitationPayload {}

export function toInvitationPayload({ apiKey, invitation }: InvitedPerson, clock: Clock): InvitationPayload {
  return {
    apiKey: ApiKeyType.of(apiKey, clock),
    path: `/dashboard${INVITATION_FRAGMENT}${invitation.text}`,
    expiresAt: invitation.expiresAt,
  };
}
