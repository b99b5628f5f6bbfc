// Made from domain-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { AddDomainInput, DomainDnsState, DomainProblemCode, DomainStatus, PlanId, RemoveDomainInput, RemoveRedirectInput, SetPrimaryDomainInput, SetRedirectInput, VerifyDomainInput } from '../../api/schema-types.js';

export interface DnsRecord {
  type: string;
  name: string;
  fullName: string;
  value: string;
  ttl: number;
}

export interface Problem {
  code: DomainProblemCode;
  message: string;
  expected: string | null;
  found: string | null;
  at: string;
  retryAt: string | null;
}

export interface Domain {
  id: string;
  name: string;
  unicodeName: string;
  isApex: boolean;
  isPrimary: boolean;
  status: DomainStatus;
  dnsState: DomainDnsState;
  verifiedAt: string | null;
  certificateExpiresAt: string | null;
  servedUntil: string | null;
  problem: Problem | null;
  records: DnsRecord[];
  alternativeRecords: DnsRecord[];
}

export interface Redirect {
  from: string;
  to: string;
  status: number;
}

export interface Site {
  host: string;
  url: string;
  isHttps: boolean;
  problem: { message: string } | null;
}

export interface ProjectWithDomains {
  id: string;
  name: string;
  plan: { id: PlanId; name: string };
  liveDeploy: { id: string } | null;
  primaryDomain: string | null;
  site: Site | null;
  domains: Domain[];
  redirects: Redirect[];
}

export interface ProjectDomainsResult {
  project: ProjectWithDomains | null;
}

export interface ProjectDomainsVariables {
  id: string;
}

export const PROJECT_DOMAINS: Document<ProjectDomainsResult, ProjectDomainsVariables> = {
  text: 'query ProjectDomains($id: ID!) { project(id: $id) { ...ProjectWithDomains } } fragment ProjectWithDomains on Project { id name plan { id name } liveDeploy { id } primaryDomain site { ...Site } domains { ...Domain } redirects { ...Redirect } } fragment Site on Site { host url isHttps problem { message } } fragment Domain on Domain { id name unicodeName isApex isPrimary status dnsState verifiedAt certificateExpiresAt servedUntil problem { ...Problem } records { ...DnsRecord } alternativeRecords { ...DnsRecord } } fragment Problem on DomainProblem { code message expected found at retryAt } fragment DnsRecord on DnsRecord { type name fullName value ttl } fragment Redirect on Redirect { from to status }',
};

export interface AddDomainResult {
  addDomain: { domain: { id: string; unicodeName: string }; counterpart: { unicodeName: string } | null; obstacles: string[] };
}

export interface AddDomainVariables {
  input: AddDomainInput;
}

export const ADD_DOMAIN: Document<AddDomainResult, AddDomainVariables> = {
  text: 'mutation AddDomain($input: AddDomainInput!) { addDomain(input: $input) { domain { id unicodeName } counterpart { unicodeName } obstacles } }',
};

export interface VerifyDomainResult {
  verifyDomain: { domain: { id: string } };
}

export interface VerifyDomainVariables {
  input: VerifyDomainInput;
}

export const VERIFY_DOMAIN: Document<VerifyDomainResult, VerifyDomainVariables> = {
  text: 'mutation VerifyDomain($input: VerifyDomainInput!) { verifyDomain(input: $input) { domain { id } } }',
};

export interface RemoveDomainResult {
  removeDomain: { domainId: string };
}

export interface RemoveDomainVariables {
  input: RemoveDomainInput;
}

export const REMOVE_DOMAIN: Document<RemoveDomainResult, RemoveDomainVariables> = {
  text: 'mutation RemoveDomain($input: RemoveDomainInput!) { removeDomain(input: $input) { domainId } }',
};

export interface SetPrimaryDomainResult {
  setPrimaryDomain: { project: { id: string } };
}

export interface SetPrimaryDomainVariables {
  input: SetPrimaryDomainInput;
}

export const SET_PRIMARY_DOMAIN: Document<SetPrimaryDomainResult, SetPrimaryDomainVariables> = {
  text: 'mutation SetPrimaryDomain($input: SetPrimaryDomainInput!) { setPrimaryDomain(input: $input) { project { id } } }',
};

export interface SetRedirectResult {
  setRedirect: { project: { id: string } };
}

export interface SetRedirectVariables {
  input: SetRedirectInput;
}

export const SET_REDIRECT: Document<SetRedirectResult, SetRedirectVariables> = {
  text: 'mutation SetRedirect($input: SetRedirectInput!) { setRedirect(input: $input) { project { id } } }',
};

export interface RemoveRedirectResult {
  removeRedirect: { project: { id: string } };
}

export interface RemoveRedirectVariables {
  input: RemoveRedirectInput;
}

export const REMOVE_REDIRECT: Document<RemoveRedirectResult, RemoveRedirectVariables> = {
  text: 'mutation RemoveRedirect($input: RemoveRedirectInput!) { removeRedirect(input: $input) { project { id } } }',
};
