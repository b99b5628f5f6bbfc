// Made from plan-documents.graphql and schema/schema.graphql. To update: UPDATE_SCHEMA=1 npx jest test/interfaces/dashboard/documents
import type { Document } from '../../api/document.js';
import type { ChangePlanInput, PlanId } from '../../api/schema-types.js';

export interface Plan {
  id: PlanId;
  name: string;
  requestsPerMinute: number | null;
  requestsPerDay: number | null;
  maxApiKeys: number;
}

export interface PlansResult {
  plans: Plan[];
}

export const PLANS: Document<PlansResult> = {
  text: 'query Plans { plans { ...Plan } } fragment Plan on Plan { id name requestsPerMinute requestsPerDay maxApiKeys }',
};

export interface UnderPlan {
  daysOver: { date: string }[];
}

export interface UsageOfProject {
  requests: number;
  refused: number;
  days: { refused: number }[];
  free: UnderPlan;
  pro: UnderPlan;
  business: UnderPlan;
  enterprise: UnderPlan;
}

export interface ProjectOnPlan {
  id: string;
  name: string;
  plan: Plan;
  customQuota: { requestsPerMinute: number; requestsPerDay: number } | null;
  usage: UsageOfProject;
}

export interface ProjectPlanResult {
  plans: Plan[];
  project: ProjectOnPlan | null;
}

export interface ProjectPlanVariables {
  id: string;
}

export const PROJECT_PLAN: Document<ProjectPlanResult, ProjectPlanVariables> = {
  text: 'query ProjectPlan($id: ID!) { plans { ...Plan } project(id: $id) { ...ProjectOnPlan } } fragment Plan on Plan { id name requestsPerMinute requestsPerDay maxApiKeys } fragment ProjectOnPlan on Project { id name plan { ...Plan } customQuota { requestsPerMinute requestsPerDay } usage { ...UsageOfProject } } fragment UsageOfProject on Usage { requests refused days { refused } free: underPlan(plan: free) { ...UnderPlan } pro: underPlan(plan: pro) { ...UnderPlan } business: underPlan(plan: business) { ...UnderPlan } enterprise: underPlan(plan: enterprise) { ...UnderPlan } } fragment UnderPlan on UsageUnderPlan { daysOver { date } }',
};

export interface ChangePlanResult {
  changePlan: { project: { plan: { name: string } } };
}

export interface ChangePlanVariables {
  input: ChangePlanInput;
}

export const CHANGE_PLAN: Document<ChangePlanResult, ChangePlanVariables> = {
  text: 'mutation ChangePlan($input: ChangePlanInput!) { changePlan(input: $input) { project { plan { name } } } }',
};
