import { useLocation } from 'preact-iso/router';
import { useSession } from '../../api/session-context.js';
import { ProjectPlans } from './project-plans.js';
import { PlansOfNobody } from './plans-of-nobody.js';

/** The plans, and what they mean for a project: an owner's own, or for admins the one that the address names. */
export default function PlansPage() {
  const { session } = useSession();
  const { query } = useLocation();
  const projectId = session.projectId ?? query['project'];
  return projectId === undefined ? <PlansOfNobody /> : <ProjectPlans key={projectId} projectId={projectId} />;
}
