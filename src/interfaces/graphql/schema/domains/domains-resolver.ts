import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Domain } from '../../../../features/publishing/domains/domain.js';
import { domainNotFound, MAX_DOMAINS } from '../../../../features/publishing/domains/domains-service.js';
import { requireDomains } from '../../../../features/publishing/domains/require-domains.js';
import { isNotFound } from '../../../../lib/errors.js';
import type { Project } from '../../../../features/projects/project.js';
import type { GraphQLParts } from '../../parts.js';
import { requireProjectAccess, requireProjectMember, requireRole, type GraphQLContext } from '../context.js';
import {
  AddDomainInput,
  AddDomainPayload,
  RemoveDomainInput,
  RemoveDomainPayload,
  RemoveRedirectInput,
  RemoveRedirectPayload,
  SetPrimaryDomainInput,
  SetPrimaryDomainPayload,
  SetRedirectInput,
  SetRedirectPayload,
  VerifyDomainInput,
  VerifyDomainPayload,
} from './domain-change-types.js';
import { DomainType, RedirectType, type DnsRecordType } from './domain-types.js';
import { ProjectType } from '../projects/project-types.js';
import { SiteType } from './site-type.js';
import { Facts } from '../../field-facts.js';

@Resolver(() => ProjectType)
export class DomainsResolver {
  constructor(
    private readonly services: Pick<GraphQLParts, 'customerDomains' | 'projects' | 'administration'>,
  ) {}

  @Facts({ weight: { mostItems: MAX_DOMAINS, areNodes: true } })
  @FieldResolver(() => [DomainType], {
    description: 'The custom domains of the project, oldest first. A project has at most 50.',
  })
  async domains(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): Promise<DomainType[]> {
    requireProjectAccess(context, project.id);
    const found = await context.loaders().domains.load(project.id);
    return found.map((domain) => this.toType(domain, project, context));
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The primary domain of the project: its platform host until you choose a domain. Null if this gateway does not publish sites.',
  })
  primaryDomain(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): string | undefined {
    requireProjectAccess(context, project.id);
    return this.services.customerDomains?.service.primaryOf(project);
  }

  @FieldResolver(() => SiteType, {
    nullable: true,
    description: "The project's host on the platform. Null if this gateway does not publish sites.",
  })
  site(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): Promise<SiteType | undefined> {
    requireProjectMember(context, project.id);
    return context.loaders().site.load(project.id);
  }

  // One redirect from each domain, and one from the platform's host.
  @Facts({ weight: { mostItems: MAX_DOMAINS + 1, areNodes: false } })
  @FieldResolver(() => [RedirectType], {
    description:
      "The redirects between the project's domains, in the order in which they were set. Each domain has at most one.",
  })
  redirects(@Root() { project }: ProjectType, @Ctx() context: GraphQLContext): RedirectType[] {
    requireProjectAccess(context, project.id);
    return this.services.customerDomains === undefined ? [] : [...(project.redirects ?? [])];
  }

  @Query(() => DomainType, {
    nullable: true,
    description:
      'One domain. Owners see the domains of their own project, admins all domains. Null if the caller can see no domain with this id.',
  })
  async domain(
    @Arg('id', () => ID, { description: 'The id of the domain.' }) id: string,
    @Ctx() context: GraphQLContext,
  ): Promise<DomainType | null> {
    requireRole(context, 'owner', 'admin');
    try {
      return await this.show(await this.reach(id, context), context);
    } catch (error) {
      // An owner cannot distinguish another project's domain from a missing one.
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  @Mutation(() => AddDomainPayload, {
    description:
      'Adds a domain to a project and returns the DNS records to add. Available to admins, and to owners within their project.',
  })
  async addDomain(
    @Arg('input', () => AddDomainInput, { description: 'The domain and its project.' })
    { projectId, name, withCounterpart }: AddDomainInput,
    @Ctx() context: GraphQLContext,
  ): Promise<AddDomainPayload> {
    requireProjectAccess(context, projectId);
    const change = this.change(context);
    // Later fields of this request read the lists with the new domains.
    const forget = () => {
      context.loaders().project.clear(projectId);
      context.loaders().domains.clear(projectId);
      context.loaders().site.clear(projectId);
    };
    if (withCounterpart !== true) {
      const added = await change.addDomain(projectId, name);
      forget();
      return {
        domain: await this.show(added, context),
        obstacles: () => this.obstaclesTo([added], context),
      };
    }
    const { domain, counterpart } = await change.addDomainPair(projectId, name);
    forget();
    return {
      domain: await this.show(domain, context),
      counterpart: await this.show(counterpart, context),
      obstacles: () => this.obstaclesTo([domain, counterpart], context),
    };
  }

  @Mutation(() => VerifyDomainPayload, {
    description:
      'Verifies a domain, or verifies it again to trigger a new attempt. The gateway checks DNS now; after that, an SSL certificate is issued automatically. Available to admins, and to owners within their project.',
  })
  async verifyDomain(
    @Arg('input', () => VerifyDomainInput, { description: 'The domain to verify.' })
    { id }: VerifyDomainInput,
    @Ctx() context: GraphQLContext,
  ): Promise<VerifyDomainPayload> {
    await this.reach(id, context);
    const domain = await this.change(context).verifyDomain(id);
    context.loaders().domains.clear(domain.projectId);
    return { domain: await this.show(domain, context) };
  }

  @Mutation(() => SetPrimaryDomainPayload, {
    description:
      'Sets the primary domain of a project. Available to admins, and to owners within their project.',
  })
  async setPrimaryDomain(
    @Arg('input', () => SetPrimaryDomainInput, { description: 'The project and the domain.' })
    { projectId, domainId }: SetPrimaryDomainInput,
    @Ctx() context: GraphQLContext,
  ): Promise<SetPrimaryDomainPayload> {
    requireProjectAccess(context, projectId);
    const project = await this.change(context).setPrimaryDomain(projectId, domainId ?? undefined);
    return { project: this.changedProject(project, context) };
  }

  @Mutation(() => SetRedirectPayload, {
    description:
      'Sets a redirect from one domain of a project to another. A redirect that would form a loop is an error. Available to admins, and to owners within their project.',
  })
  async setRedirect(
    @Arg('input', () => SetRedirectInput, { description: 'The project, both domains and the status.' })
    { projectId, from, to, status }: SetRedirectInput,
    @Ctx() context: GraphQLContext,
  ): Promise<SetRedirectPayload> {
    requireProjectAccess(context, projectId);
    const redirect = { from, to, status: status ?? undefined };
    const project = await this.change(context).setRedirect(projectId, redirect);
    return { project: this.changedProject(project, context) };
  }

  @Mutation(() => RemoveRedirectPayload, {
    description:
      'Removes the redirect from a domain. Available to admins, and to owners within their project.',
  })
  async removeRedirect(
    @Arg('input', () => RemoveRedirectInput, {
      description: 'The project, and the domain that the redirect starts from.',
    })
    { projectId, from }: RemoveRedirectInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RemoveRedirectPayload> {
    requireProjectAccess(context, projectId);
    const project = await this.change(context).removeRedirect(projectId, from);
    return { project: this.changedProject(project, context) };
  }

  @Mutation(() => RemoveDomainPayload, {
    description:
      'Removes a domain and the redirects from it and to it. The gateway stops serving traffic on it immediately. Available to admins, and to owners within their project.',
  })
  async removeDomain(
    @Arg('input', () => RemoveDomainInput, { description: 'The domain to remove.' })
    { id }: RemoveDomainInput,
    @Ctx() context: GraphQLContext,
  ): Promise<RemoveDomainPayload> {
    await this.reach(id, context);
    const { projectId } = await this.change(context).removeDomain(id);
    const project = await this.services.projects.get(projectId);
    return { domainId: id, project: this.changedProject(project, context) };
  }

  /** @throws ApiError precondition_failed */
  private domainsService() {
    return requireDomains(this.services.customerDomains?.service);
  }

  private change(context: GraphQLContext) {
    return this.services.administration(context.caller);
  }

  /**
   * Returns the domain. @throws ApiError forbidden; not_found, also for an owner who requests another project's domain
   */
  private async reach(id: string, context: GraphQLContext): Promise<Domain> {
    requireRole(context, 'owner', 'admin');
    const domain = await this.domainsService().get(id);
    const { key, project } = context.caller;
    return key.role === 'admin' || project?.id === domain.projectId ? domain : domainNotFound(id);
  }

  private async show(domain: Domain, context: GraphQLContext): Promise<DomainType> {
    const project = await context.loaders().project.load(domain.projectId);
    return project === undefined ? domainNotFound(domain.id) : this.toType(domain, project, context);
  }

  /** @param added domains of one project */
  private async obstaclesTo(
    added: readonly [Domain, ...Domain[]],
    context: GraphQLContext,
  ): Promise<string[]> {
    const project = await context.loaders().project.load(added[0].projectId);
    return project === undefined
      ? domainNotFound(added[0].id)
      : ((await this.services.customerDomains?.obstaclesTo(added, project)) ?? []);
  }

  /** Returns the changed project, and clears its loaders so that later fields of this request read it as it is now. */
  private changedProject(project: Project, { loaders }: GraphQLContext): ProjectType {
    loaders().project.clear(project.id);
    loaders().site.clear(project.id);
    loaders().domains.clear(project.id);
    return ProjectType.of(project);
  }

  private toType(domain: Domain, project: Project, { heavyRead }: GraphQLContext): DomainType {
    const domains = this.domainsService();
    const { id, name, unicode, isApex, createdAt, dns, certificate } = domain;
    const { status, problem, servedUntil } = domains.stateOf(domain, project);
    let records: Promise<DnsRecordType[]> | undefined;
    return {
      id,
      name,
      unicodeName: unicode,
      isApex,
      status,
      dnsState: dns.state,
      certificateState: certificate.state,
      // A document can ask for them several times.
      records: () => (records ??= heavyRead(() => domains.recordsOf(domain, project))),
      alternativeRecords: domains.alternativesOf(domain),
      problem,
      isPrimary: project.primaryDomain === name,
      createdAt,
      verifiedAt: dns.verifiedAt,
      certificateExpiresAt: certificate.current?.notAfter,
      servedUntil,
    };
  }
}
