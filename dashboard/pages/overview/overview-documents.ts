// Made from overview-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { ApiKeyRole, DomainStatus, PlanId } from '../../api/schema-types.js';
import type { QuotaWindow } from '../keys/key-documents.js';

export interface ProjectOverview {
  id: string;
  name: string;
  createdAt: string;
  plan: { id: PlanId; name: string };
  primaryDomain: string | null;
  site: { host: string; url: string } | null;
  liveDeploy: { number: number; createdAt: string } | null;
  domains: { id: string; name: string; status: DomainStatus }[];
  apiKeys: { edges: { node: { id: string; role: ApiKeyRole } }[] };
}

export interface BusyKey {
  id: string;
  name: string;
  quota: { windows: QuotaWindow[] };
}

export interface OverviewResult {
  project: ProjectOverview | null;
  busiest: { edges: { node: BusyKey }[] };
}

export interface OverviewVariables {
  id: string;
}

export const OVERVIEW: Document<OverviewResult, OverviewVariables> = {
  text: 'query Overview($id: ID!) { project(id: $id) { ...ProjectOverview } busiest: apiKeys( first: 3 filter: {projectId: $id, state: active} orderBy: usageToday ) { edges { node { ...BusyKey } } } } fragment ProjectOverview on Project { id name createdAt plan { id name } primaryDomain site { host url } liveDeploy { number createdAt } domains { id name status } apiKeys(first: 20) { edges { node { id role } } } } fragment BusyKey on ApiKey { id name quota { windows { ...QuotaWindow } } } fragment QuotaWindow on QuotaWindow { name limit used resetAt }',
};
