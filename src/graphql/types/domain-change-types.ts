import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DEFAULT_REDIRECT_STATUS } from '../../domains/redirects.js';
import { DomainType } from './domain-types.js';
import { ProjectType } from './project-types.js';

@InputType({ description: 'A domain to add.' })
export class AddDomainInput {
  @Field(() => ID, {
    description: 'The project, which has to be on a paid plan (Pro or above) and deployed.',
  })
  projectId!: string;

  @Field(() => String, { description: 'A domain or subdomain of your own, such as shop.example.com.' })
  name!: string;
}

@InputType({ description: 'A domain to verify.' })
export class VerifyDomainInput {
  @Field(() => ID, { description: 'The domain.' })
  id!: string;
}

@InputType({ description: 'The primary domain of a project.' })
export class SetPrimaryDomainInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'One of its domains that is verified; null: its platform host again.',
  })
  domainId?: string | null;
}

@InputType({ description: 'A redirect entry. There is one from each domain: it replaces an earlier one.' })
export class SetRedirectInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => String, { description: 'A domain of the project, or its platform host.' })
  from!: string;

  @Field(() => String, { description: 'Another one of them, which is served.' })
  to!: string;

  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_REDIRECT_STATUS,
    description: 'The HTTP redirect status: 301, 302, 307 or 308.',
  })
  status?: number | null;
}

@InputType({ description: 'A redirect entry to remove.' })
export class RemoveRedirectInput {
  @Field(() => ID, { description: 'The project.' })
  projectId!: string;

  @Field(() => String, { description: 'The domain that it is from.' })
  from!: string;
}

@InputType({ description: 'A domain to remove.' })
export class RemoveDomainInput {
  @Field(() => ID, { description: 'The domain.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The added domain.' })
export class AddDomainPayload {
  @Field(() => DomainType, { description: 'The domain, with the DNS records to add.' })
  domain!: DomainType;
}

@ObjectType({ simpleResolvers: true, description: 'The domain that is being verified.' })
export class VerifyDomainPayload {
  @Field(() => DomainType, { description: 'The domain: ask for it again to see how far it is.' })
  domain!: DomainType;
}

@ObjectType({ simpleResolvers: true, description: 'The project with its primary domain.' })
export class SetPrimaryDomainPayload {
  @Field(() => ProjectType, { description: 'The project.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project with its redirects.' })
export class SetRedirectPayload {
  @Field(() => ProjectType, { description: 'The project.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'The project with the redirects that are left.' })
export class RemoveRedirectPayload {
  @Field(() => ProjectType, { description: 'The project.' })
  project!: ProjectType;
}

@ObjectType({ simpleResolvers: true, description: 'What is left once a domain is removed.' })
export class RemoveDomainPayload {
  @Field(() => ID, { description: 'The domain that is no more.' })
  domainId!: string;

  @Field(() => ProjectType, { description: 'Its project, with the domains and redirects that are left.' })
  project!: ProjectType;
}
