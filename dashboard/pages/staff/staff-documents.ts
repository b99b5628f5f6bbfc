// Made from staff-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { ApiKeyFilter, ApiKeyState, CreateInvitationInput, RenewInvitationInput } from '../../api/schema-types.js';

export interface Person {
  id: string;
  name: string;
  state: ApiKeyState;
  invitedUntil: string | null;
  lastUsedAt: string | null;
}

export interface StaffResult {
  project: { id: string; name: string; plan: { name: string; maxApiKeys: number }; activeApiKeys: number } | null;
  apiKeys: { edges: { node: Person }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

export interface StaffVariables {
  projectId: string;
  filter?: ApiKeyFilter | null | undefined;
  after?: string | null | undefined;
}

export const STAFF: Document<StaffResult, StaffVariables> = {
  text: 'query Staff($projectId: ID!, $filter: ApiKeyFilter, $after: String) { project(id: $projectId) { id name plan { name maxApiKeys } activeApiKeys } apiKeys(first: 20, filter: $filter, after: $after) { edges { node { ...Person } } pageInfo { hasNextPage endCursor } } } fragment Person on ApiKey { id name state invitedUntil lastUsedAt }',
};

export interface CreateInvitationResult {
  createInvitation: { apiKey: { name: string }; path: string; expiresAt: string };
}

export interface CreateInvitationVariables {
  input: CreateInvitationInput;
}

export const CREATE_INVITATION: Document<CreateInvitationResult, CreateInvitationVariables> = {
  text: 'mutation CreateInvitation($input: CreateInvitationInput!) { createInvitation(input: $input) { apiKey { name } path expiresAt } }',
};

export interface RenewInvitationResult {
  renewInvitation: { apiKey: { name: string }; path: string; expiresAt: string };
}

export interface RenewInvitationVariables {
  input: RenewInvitationInput;
}

export const RENEW_INVITATION: Document<RenewInvitationResult, RenewInvitationVariables> = {
  text: 'mutation RenewInvitation($input: RenewInvitationInput!) { renewInvitation(input: $input) { apiKey { name } path expiresAt } }',
};
