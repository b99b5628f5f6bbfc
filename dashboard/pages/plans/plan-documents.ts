import type { PlanId, Quota } from '../../../src/features/plans/plans.js';
import { gql } from '../../api/document.js';

export interface Plan {
  id: PlanId;
  name: string;
  /** Null if agreed individually. */
  requestsPerMinute: number | null;
  requestsPerDay: number | null;
  maxApiKeys: number;
}

const PLAN_FIELDS = `
  fragment PlanFields on Plan {
    id
    name
    requestsPerMinute
    requestsPerDay
    maxApiKeys
  }
`;

export const PLANS = gql<{ plans: Plan[] }>`
  query Plans {
    plans {
      ...PlanFields
    }
  }
  ${PLAN_FIELDS}
`;

/** The effect that the daily limit of a plan would have had. */
export interface UnderPlan {
  daysOver: { date: string }[];
}

export interface UsageOfProject extends Record<PlanId, UnderPlan> {
  requests: number;
  refused: number;
  days: { refused: number }[];
}

export interface ProjectOnPlan {
  id: string;
  name: string;
  plan: Plan;
  customQuota: Quota | null;
  usage: UsageOfProject;
}

interface ProjectPlanResult {
  plans: Plan[];
  project: ProjectOnPlan | null;
}

const UNDER_PLAN_FIELDS = `
  fragment UnderPlanFields on UsageUnderPlan {
    daysOver {
      date
    }
  }
`;

/** A project with its last 30 days under the limit of each plan. */
export const PROJECT_PLAN = gql<ProjectPlanResult, { id: string }>`
  query ProjectPlan($id: ID!) {
    plans {
      ...PlanFields
    }
    project(id: $id) {
      id
      name
      plan {
        ...PlanFields
      }
      customQuota {
        requestsPerMinute
        requestsPerDay
      }
      usage {
        requests
        refused
        days {
          refused
        }
        free: underPlan(plan: free) {
          ...UnderPlanFields
        }
        pro: underPlan(plan: pro) {
          ...UnderPlanFields
        }
        business: underPlan(plan: business) {
          ...UnderPlanFields
        }
        enterprise: underPlan(plan: enterprise) {
          ...UnderPlanFields
        }
      }
    }
  }
  ${PLAN_FIELDS}
  ${UNDER_PLAN_FIELDS}
`;

interface ChangePlanInput {
  projectId: string;
  plan: PlanId;
  customQuota?: Quota;
}

export const CHANGE_PLAN = gql<
  { changePlan: { project: { plan: { name: string } } } },
  { input: ChangePlanInput }
>`
  mutation ChangePlan($input: ChangePlanInput!) {
    changePlan(input: $input) {
      project {
        plan {
          name
        }
      }
    }
  }
`;
