import { DOMAINS_FROM } from '../../../../features/plans/plans.js';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DEFAULT_REDIRECT_STATUS } from '../../../../features/projects/redirects.js';
import { DomainType } from './domain-types.js';
import { ProjectType } from '../projects/project-types.js';
import { Facts } from '../../field-facts.js';

@InputType({ description: 'A domain to publish a project at.' })
export class AddDomainInput {
  @Field(() => ID, {
    description: `The id of the project. The project must be on a paid plan (${DOMAINS_FROM}) and have a successful deploy.`,
  })
  projectId!: string;

  @Field(() => String, {
    description: 'A domain or subdomain of your own, such as shop.example.com, in ASCII or Unicode.',
  })
  name!: string;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description:
      'Whether to add the counterpart too, with a redirect from it to `name`: www.example.com for example.com, and example.com for www.example.com. The redirect works as soon as both domains are served. Defaults to false.',
  })
  withCounterpart?: boolean | null;
}

@InputType({ description: 'The domain whose DNS records to check.' })
export class VerifyDomainInput {
  @Field(() => ID, { description: 'The id of the domain.' })
  id!: string;
}

@InputType({ description: 'The project and its new primary domain.' })
export class SetPrimaryDomainInput {
  @Field(() => ID, { description: 'The id of the project whose primary domain to set.' })
  projectId!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of a verified domain of the project. If null or omitted, the platform host becomes the primary domain again.',
  })
  domainId?: string | null;
}

@InputType({
  description: 'A redirect entry. Each domain has at most one: a new entry replaces the earlier one.',
})
export class SetRedirectInput {
  @Field(() => ID, { description: 'The id of the project that both domains belong to.' })
  projectId!: string;

  @Field(() => String, {
    description: 'The domain that visitors request: a domain of the project, or its platform host.',
  })
  from!: string;

  @Field(() => String, {
    description: 'The domain to send visitors to: another domain of the project that is served.',
  })
  to!: string;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_REDIRECT_STATUS,
    description: 'The HTTP redirect status: 301, 302, 307 or 308. Defaults to 301.',
  })
  status?: number | null;
}

@InputType({ description: 'The redirect entry to remove.' })
export class RemoveRedirectInput {
  @Field(() => ID, { description: 'The id of the project that the redirect belongs to.' })
  projectId!: string;

  @Field(() => String, { description: 'The domain that the redirect starts from.' })
  from!: string;
}

@InputType({ description: 'The domain to remove from its project.' })
export class RemoveDomainInput {
  @Field(() => ID, { description: 'The id of the domain.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The domain that was added.' })
export class AddDomainPayload {
  @Field(() => DomainType, { description: 'The domain, with the DNS records that its owner must add.' })
  domain!: DomainType;

  @Field(() => DomainType, {
    nullable: true,
    description:
      'The counterpart that redirects to the domain, with DNS records of its own. Null unless `withCounterpart` is true.',
  })
  counterpart?: DomainType | undefined;

  // Looks up records of the platform and of up to two domains.
  @Facts({ weight: { mostItems: 3, areNodes: true } })
  @Field(() => [String], {
    description:
      'Why the domains will not be served, according to the settings of the gateway and the current DNS records: a sentence each, with what to do, those of the settings first. Records that are only missing are no obstacles, because a new domain has none yet. Empty if nothing is in the way. The gateway looks up DNS records for this field, which can take a few seconds.',
  })
  /** Looks up DNS records, so it is called only for callers that ask for it. */
  obstacles!: () => Promise<string[]>;
}

@ObjectType({ simpleResolvers: true, description: 'The domain that is being verified.' })
export class VerifyDomainPayload {
  @Field(() => DomainType, {
    description: 'The current state of the domain. Query the domain again to see the progress.',
  })
  domain!: DomainType;
}

@ObjectType({ simpleResolvers: true, description: 'The project whose primary domain was set.' })
export class SetPrimaryDomainPayload {
  @Field(() => ProjectType, { description: 'The project with its primary domain.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project whose redirects were changed.' })
export class SetRedirectPayload {
  @Field(() => ProjectType, { description: 'The project with its redirects.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The result of removing a redirect.' })
export class RemoveRedirectPayload {
  @Field(() => ProjectType, { description: 'The project, with its remaining redirects.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The result of removing a domain.' })
export class RemoveDomainPayload {
  @Field(() => ID, { description: 'The id of the removed domain.' })
  domainId!: string;

  @Field(() => ProjectType, {
    description: 'The project of the removed domain, with its remaining domains and redirects.',
  })
  project!: ProjectType;
}
