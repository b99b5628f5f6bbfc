// Made from gateway-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../../api/document.js';
import type { ApiInterface, TrafficPeriod, TrafficSource } from '../../../api/schema-types.js';
import type { SystemHealth } from '../system/system-documents.js';
import type { Problem } from '../../domains/domain-documents.js';
import type { Ban, QuotaUse, Refusal } from '../../keys/key-documents.js';

export interface TrafficGroup {
  interface: ApiInterface;
  source: TrafficSource;
  requests: number;
  clientErrors: number;
  refused: number;
  serverErrors: number;
}

export interface PeriodTraffic {
  start: string;
  requests: number;
  clientErrors: number;
  refused: number;
  serverErrors: number;
  groups: { interface: ApiInterface; source: TrafficSource; requests: number }[];
}

export interface Traffic {
  asOf: string;
  requests: number;
  clientErrors: number;
  refused: number;
  serverErrors: number;
  bans: number;
  periods: PeriodTraffic[];
  groups: TrafficGroup[];
}

export interface TrafficResult {
  traffic: Traffic;
}

export interface TrafficVariables {
  by?: TrafficPeriod | null | undefined;
  last?: number | null | undefined;
}

export const TRAFFIC: Document<TrafficResult, TrafficVariables> = {
  text: 'query Traffic($by: TrafficPeriod, $last: Int) { traffic(by: $by, last: $last) { ...Traffic } } fragment Traffic on Traffic { asOf requests clientErrors refused serverErrors bans periods { ...PeriodTraffic } groups { ...TrafficGroup } } fragment PeriodTraffic on PeriodTraffic { start requests clientErrors refused serverErrors groups { interface source requests } } fragment TrafficGroup on TrafficGroup { interface source requests clientErrors refused serverErrors }',
};

export interface NotedKey {
  id: string;
  name: string;
  project: { id: string; name: string; plan: { name: string } } | null;
  quota: QuotaUse & { ban: Ban | null };
}

export type RejectedKey = NotedKey & {
  refusals: Refusal[];
};

export interface StuckDomain {
  domainId: string;
  projectId: string;
  name: string;
  project: { name: string } | null;
  problem: Problem | null;
}

export interface AttentionResult {
  systemHealth: SystemHealth & { domainsNeedingAction: StuckDomain[] };
  busiest: { edges: { node: NotedKey }[] };
  nearLimit: { edges: { node: NotedKey }[] };
  rejected: { edges: { node: RejectedKey }[] };
  banned: { edges: { node: NotedKey }[] };
}

export const ATTENTION: Document<AttentionResult> = {
  text: 'query Attention { systemHealth { ...SystemHealth domainsNeedingAction(first: 5) { ...StuckDomain } } busiest: apiKeys( first: 5 filter: {state: active, usedToday: true} orderBy: usageToday ) { edges { node { ...NotedKey } } } nearLimit: apiKeys( first: 5 filter: {state: active, nearLimit: true} orderBy: usageToday ) { edges { node { ...NotedKey } } } rejected: apiKeys( first: 5 filter: {state: active, rejectedToday: true} orderBy: lastUsedAt ) { edges { node { ...RejectedKey } } } banned: apiKeys(first: 5, filter: {state: active, banned: true}) { edges { node { ...NotedKey } } } } fragment SystemHealth on SystemHealth { ready version startedAt checks { ...HealthCheck } quotaOutage projects apiKeys domains { status count } domainsDue oldestDueAt certificatesExpiring(withinDays: 30) { ...ExpiringCertificate } } fragment HealthCheck on HealthCheck { name ok detail } fragment ExpiringCertificate on ExpiringCertificate { domainId projectId name expiresAt problem { ...Problem } } fragment Problem on DomainProblem { code message expected found at retryAt } fragment StuckDomain on DomainNeedingAction { domainId projectId name project { name } problem { ...Problem } } fragment NotedKey on ApiKey { id name project { id name plan { name } } quota { ...QuotaUse ban { ...Ban } } } fragment QuotaUse on Quota { isStoreDown windows { ...QuotaWindow } } fragment QuotaWindow on QuotaWindow { name limit used resetAt } fragment Ban on Ban { until offences } fragment RejectedKey on ApiKey { ...NotedKey refusals(first: 1) { ...Refusal } } fragment Refusal on Refusal { at code message interface operation window limit cost resetAt }',
};
