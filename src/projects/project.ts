import type { CustomQuota, PlanId } from '../quotas/plans.js';

/** A consumer of the API: it decides quota and site, never which pets are visible. */
export interface Project {
  id: string;
  name: string;
  plan: PlanId;
  /** Set exactly when the plan is `enterprise`. */
  customQuota?: CustomQuota;
  createdAt: Date;
}
