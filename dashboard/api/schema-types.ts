// Made from schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents

export interface AddDomainInput {
  name: string;
  projectId: string;
  withCounterpart?: boolean | null | undefined;
}

export type ApiInterface = 'graphql' | 'rest';

export interface ApiKeyFilter {
  banned?: boolean | null | undefined;
  nameContains?: string | null | undefined;
  nearLimit?: boolean | null | undefined;
  plan?: PlanId | null | undefined;
  projectId?: string | null | undefined;
  rejectedToday?: boolean | null | undefined;
  role?: ApiKeyRole | null | undefined;
  state?: ApiKeyState | null | undefined;
  usedToday?: boolean | null | undefined;
}

export type ApiKeyOrder = 'createdAt' | 'lastUsedAt' | 'usageToday';

export type ApiKeyRole = 'admin' | 'browser' | 'owner' | 'server' | 'staff';

export type ApiKeyState = 'active' | 'disabled' | 'expired' | 'revoked';

export interface AuditLogFilter {
  action?: string | null | undefined;
  actorRole?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
}

export interface ChangePlanInput {
  customQuota?: CustomQuotaInput | null | undefined;
  plan: PlanId;
  projectId: string;
}

export interface CreateApiKeyInput {
  allowedOrigins?: string[] | null | undefined;
  expiresAt?: string | null | undefined;
  name: string;
  projectId?: string | null | undefined;
  role?: ApiKeyRole | null | undefined;
}

export interface CreateDeployInput {
  message?: string | null | undefined;
  projectId: string;
  spa?: boolean | null | undefined;
  template?: SiteTemplate | null | undefined;
}

export interface CreateInvitationInput {
  name: string;
  projectId?: string | null | undefined;
}

export interface CreatePetsImportInput {
  deleteAtMost?: number | null | undefined;
  deleteMissing?: boolean | null | undefined;
  dryRun?: boolean | null | undefined;
  existing?: PetsImportExisting | null | undefined;
  ignoreUnknown?: boolean | null | undefined;
  projectId?: string | null | undefined;
}

export interface CreateProjectInput {
  customQuota?: CustomQuotaInput | null | undefined;
  name: string;
  plan?: PlanId | null | undefined;
}

export interface CustomQuotaInput {
  requestsPerDay: number;
  requestsPerMinute: number;
}

export interface DeletePetInput {
  id: string;
  ifCategoryId?: string | null | undefined;
  ifName?: string | null | undefined;
  ifStatus?: PetStatus | null | undefined;
}

export interface DeleteProjectInput {
  name: string;
  pets?: PetsOfDeletedProject | null | undefined;
  projectId: string;
}

export interface DeleteProjectPetsInput {
  projectId: string;
}

export type DeployState = 'awaiting_upload' | 'expired' | 'failed' | 'ready';

export interface DisableApiKeyInput {
  id: string;
}

export type DomainDnsState = 'failed' | 'pending' | 'verified' | 'verifying';

export type DomainProblemCode = 'apex_address_mismatch' | 'ca_rate_limited' | 'ca_rejected' | 'ca_unavailable' | 'caa_blocks' | 'cname_loop' | 'cname_mismatch' | 'conflicting_a_record' | 'conflicting_aaaa_record' | 'dns_unavailable' | 'no_record' | 'not_deployed' | 'nxdomain' | 'ownership_txt_required' | 'plan_required' | 'ssl_overdue';

export type DomainStatus = 'action_required' | 'active' | 'issuing' | 'pending' | 'suspended' | 'verifying';

export interface EnableApiKeyInput {
  id: string;
}

export type FileChange = 'added' | 'changed' | 'removed';

export interface LiftBanInput {
  apiKeyId: string;
}

export interface NewPet {
  categoryId: string;
  name: string;
  status?: PetStatus | null | undefined;
}

export interface PetFilter {
  categoryId?: string | null | undefined;
  externalId?: string | null | undefined;
  mine?: boolean | null | undefined;
  nameContains?: string | null | undefined;
  projectId?: string | null | undefined;
  status?: PetStatus | null | undefined;
}

export type PetsImportExisting = 'reject' | 'replace' | 'skip';

export type PetsImportState = 'applying' | 'awaiting_file' | 'checked' | 'done' | 'expired' | 'failed';

export type PetsOfDeletedProject = 'delete' | 'handOver';

export type PetStatus = 'available' | 'pending' | 'sold';

export type PlanId = 'business' | 'enterprise' | 'free' | 'pro';

export interface ProjectFilter {
  nameContains?: string | null | undefined;
  plan?: PlanId | null | undefined;
}

export type QuotaWindowName = 'day' | 'minute';

export interface RemoveDomainInput {
  id: string;
}

export interface RemoveRedirectInput {
  from: string;
  projectId: string;
}

export interface RenewInvitationInput {
  apiKeyId: string;
}

export interface ResetQuotaInput {
  apiKeyId: string;
  window?: QuotaWindowName | null | undefined;
}

export interface RevokeApiKeyInput {
  id: string;
}

export interface RollbackDeployInput {
  deployId: string;
  projectId: string;
}

export interface RotateApiKeyInput {
  id: string;
  overlapSeconds?: number | null | undefined;
}

export interface SetPrimaryDomainInput {
  domainId?: string | null | undefined;
  projectId: string;
}

export interface SetRedirectInput {
  from: string;
  projectId: string;
  status?: number | null | undefined;
  to: string;
}

export type SiteAnimals = 'all' | 'own';

export type SiteTemplate = 'storefront';

export interface StartPetsImportInput {
  id: string;
}

export type TrafficPeriod = 'day' | 'hour' | 'minute';

export type TrafficSource = 'admin' | 'business' | 'enterprise' | 'free' | 'pro' | 'unauthenticated';

export interface UpdateApiKeyInput {
  allowedOrigins?: string[] | null | undefined;
  expiresAt?: string | null | undefined;
  id: string;
  name?: string | null | undefined;
}

export interface UpdatePetInput {
  categoryId?: string | null | undefined;
  id: string;
  ifCategoryId?: string | null | undefined;
  ifName?: string | null | undefined;
  ifStatus?: PetStatus | null | undefined;
  name?: string | null | undefined;
  status?: PetStatus | null | undefined;
}

export interface UpdateProjectInput {
  name?: string | null | undefined;
  projectId: string;
  siteAnimals?: SiteAnimals | null | undefined;
}

export interface VerifyDomainInput {
  id: string;
}
