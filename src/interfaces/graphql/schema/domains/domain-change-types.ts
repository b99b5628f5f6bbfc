import { DOMAINS_FROM } from '../../../../features/plans/plans.js';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DEFAULT_REDIRECT_STATUS } from '../../../../features/projects/redirects.js';
import { DomainType } from './domain-types.js';
import { ProjectType } from '../projects/project-types.js';

@InputType({ description: 'A domain that a project is to be published at.' })
export class AddDomainInput {
  @Field(() => ID, {
    description: `The id of the project, which has to be on a paid plan (${DOMAINS_FROM}) and deployed.`,
  })
  projectId!: string;

  @Field(() => String, {
    description: 'A domain or subdomain of your own, such as shop.example.com, in ASCII or Unicode.',
  })
  name!: string;
}

@InputType({ description: 'The domain whose DNS records are to be looked at.' })
export class VerifyDomainInput {
  @Field(() => ID, { description: 'The id of the domain.' })
  id!: string;
}

@InputType({ description: 'Which domain is to stand for a project.' })
export class SetPrimaryDomainInput {
  @Field(() => ID, { description: 'The id of the project that the domain is to stand for.' })
  projectId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of one of its domains that is verified. Null or left out: its platform host again.',
  })
  domainId?: string | null;
}

@InputType({
  description: 'A redirect entry. There is at most one from each domain: it replaces an earlier one.',
})
export class SetRedirectInput {
  @Field(() => ID, { description: 'The id of the project that both domains belong to.' })
  projectId!: string;

  @Field(() => String, {
    description: 'The domain that visitors ask for: one of the project, or its platform host.',
  })
  from!: string;

  @Field(() => String, {
    description: 'The domain that visitors are sent to: another one of the project, which is served.',
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

  @Field(() => String, { description: 'The domain that the redirect is from.' })
  from!: string;
}

@InputType({ description: 'The domain to remove from its project.' })
export class RemoveDomainInput {
  @Field(() => ID, { description: 'The id of the domain.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The domain that was added.' })
export class AddDomainPayload {
  @Field(() => DomainType, { description: 'The domain, with the DNS records that its owner has to add.' })
  domain!: DomainType;
}

@ObjectType({ simpleResolvers: true, description: 'The domain that is being verified.' })
export class VerifyDomainPayload {
  @Field(() => DomainType, { description: 'The domain as it is now: ask for it again to see how far it is.' })
  domain!: DomainType;
}

@ObjectType({ simpleResolvers: true, description: 'The project whose primary domain was chosen.' })
export class SetPrimaryDomainPayload {
  @Field(() => ProjectType, { description: 'The project with its primary domain.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project whose redirects were changed.' })
export class SetRedirectPayload {
  @Field(() => ProjectType, { description: 'The project with its redirects.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'What is left once a redirect is removed.' })
export class RemoveRedirectPayload {
  @Field(() => ProjectType, { description: 'The project, with the redirects that are left.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'What is left once a domain is removed.' })
export class RemoveDomainPayload {
  @Field(() => ID, { description: 'The id of the domain that is no more.' })
  domainId!: string;

  @Field(() => ProjectType, { description: 'Its project, with the domains and redirects that are left.' })
  project!: ProjectType;
}
