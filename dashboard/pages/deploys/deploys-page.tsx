import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/routes.js';

export default function DeploysPage({ projectId }: ProjectPageProps) {
  return <Page title="Deploys">{projectId}</Page>;
}
