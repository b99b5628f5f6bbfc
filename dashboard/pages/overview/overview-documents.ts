// Made from overview-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { ApiKeyRole, DomainStatus, PlanId, SiteAnimals, UpdateProjectInput } from '../../api/schema-types.js';
import type { QuotaUse, Refusal } from '../keys/key-documents.js';

export interface ProjectOverview {
  id: string;
  name: string;
  createdAt: string;
  hasPets: boolean;
  siteAnimals: SiteAnimals;
  plan: { id: PlanId; name: string; requestsPerMinute: number | null; requestsPerDay: number | null };
  customQuota: { requestsPerMinute: number; requestsPerDay: number } | null;
  primaryDomain: string | null;
  site: { host: string; url: string } | null;
  liveDeploy: { number: number; createdAt: string; message: string | null } | null;
  domains: { id: string; name: string; status: DomainStatus }[];
  apiKeys: { edges: { node: { id: string; role: ApiKeyRole } }[] };
}

export type ProjectRefusal = Refusal & {
  apiKey: { id: string; name: string } | null;
};

export interface ProjectUsage {
  asOf: string;
  requests: number;
  refused: number;
  bans: number;
  days: { date: string; byStatus: { status: number; requests: number }[] }[];
}

export interface BusyKey {
  id: string;
  name: string;
  quota: QuotaUse;
}

export interface OverviewResult {
  project: ProjectOverview & { usage: ProjectUsage; refusals: ProjectRefusal[] } | null;
  busiest: { edges: { node: BusyKey }[] };
}

export interface OverviewVariables {
  id: string;
  from?: string | null | undefined;
}

export const OVERVIEW: Document<OverviewResult, OverviewVariables> = {
  text: 'query Overview($id: ID!, $from: DateTime) { project(id: $id) { ...ProjectOverview usage(from: $from) { ...ProjectUsage } refusals(first: 5) { ...ProjectRefusal } } busiest: apiKeys( first: 3 filter: {projectId: $id, state: active} orderBy: usageToday ) { edges { node { ...BusyKey } } } } fragment ProjectOverview on Project { id name createdAt hasPets siteAnimals plan { id name requestsPerMinute requestsPerDay } customQuota { requestsPerMinute requestsPerDay } primaryDomain site { host url } liveDeploy { number createdAt message } domains { id name status } apiKeys(first: 20) { edges { node { id role } } } } fragment ProjectUsage on Usage { asOf requests refused bans days { date byStatus { status requests } } } fragment ProjectRefusal on Refusal { ...Refusal apiKey { id name } } fragment Refusal on Refusal { at code message interface operation window limit cost resetAt } fragment BusyKey on ApiKey { id name quota { ...QuotaUse } } fragment QuotaUse on Quota { isStoreDown windows { ...QuotaWindow } } fragment QuotaWindow on QuotaWindow { name limit used resetAt }',
};

export interface UpdateProjectResult {
  updateProject: { project: { id: string } };
}

export interface UpdateProjectVariables {
  input: UpdateProjectInput;
}

export const UPDATE_PROJECT: Document<UpdateProjectResult, UpdateProjectVariables> = {
  text: 'mutation UpdateProject($input: UpdateProjectInput!) { updateProject(input: $input) { project { id } } }',
};
