import { useLocation } from 'preact-iso/router';
import { useSession } from '../../api/session-context.js';
import { ProjectPlans } from './project-plans.js';
import { PlansOfNobody } from './plans-of-nobody.js';

/** Shows the plans and their effect on a project: an owner's own project, or for admins the project in the URL. */
export default function PlansPage() {
  const { session } = useSession();
  const { query } = useLocation();
  const projectId = session.projectId ?? query['project'];
  return projectId === undefined ? <PlansOfNobody /> : <ProjectPlans key={projectId} projectId={projectId} />;
}
