import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { apiKeyNotFound } from '../../../../features/keys/api-keys-service.js';
import { projectNotFound } from '../../../../features/projects/projects-service.js';
import { invalidRequest } from '../../../../lib/errors.js';
import type { GraphQLParts } from '../../parts.js';
import { mayReachKey, requireRole, type GraphQLContext } from '../context.js';
import {
  CreateInvitationInput,
  CreateInvitationPayload,
  RenewInvitationInput,
  RenewInvitationPayload,
  toInvitationPayload,
} from './invitation-types.js';

@Resolver()
export class InvitationsResolver {
  constructor(private readonly services: Pick<GraphQLParts, 'apiKeys' | 'administration' | 'clock'>) {}

  @Mutation(() => CreateInvitationPayload, {
    description:
      "Invites a person to work on a project's animals in the dashboard. Creates a staff key for the person, which counts as a key of the plan. Who opens the link and accepts gets the key's secret; nobody else sees it. `revokeApiKey` ends the person's access. Available to admins, and to owners within their project.",
  })
  async createInvitation(
    @Arg('input', () => CreateInvitationInput, { description: 'The person and the project.' })
    { projectId: asked, name }: CreateInvitationInput,
    @Ctx() context: GraphQLContext,
  ): Promise<CreateInvitationPayload> {
    requireRole(context, 'owner', 'admin');
    const { caller } = context;
    const projectId = asked ?? caller.project?.id;
    if (projectId === undefined)
      throw invalidRequest({ field: 'input.projectId', message: 'is required with an admin key' });
    // An owner cannot distinguish another project from a missing one.
    if (caller.key.role !== 'admin' && projectId !== caller.project?.id) projectNotFound(projectId);
    const invited = await this.services.administration(caller).invite({ projectId, name });
    return toInvitationPayload(invited, this.services.clock);
  }

  @Mutation(() => RenewInvitationPayload, {
    description:
      "Creates a new invitation for a person who lost the key or a device, or whose invitation expired. The person's secret, sessions and earlier invitation end at once. Returns `conflict` for keys of other roles, and for a revoked or expired key. Available to admins, and to owners within their project.",
  })
  async renewInvitation(
    @Arg('input', () => RenewInvitationInput, { description: 'The staff key of the person.' })
    { apiKeyId }: RenewInvitationInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RenewInvitationPayload> {
    requireRole(context, 'owner', 'admin');
    if (!mayReachKey(context, await this.services.apiKeys.get(apiKeyId))) apiKeyNotFound(apiKeyId);
    const invited = await this.services.administration(context.caller).inviteAgain(apiKeyId);
    return toInvitationPayload(invited, this.services.clock);
  }
}
