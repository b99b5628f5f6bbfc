import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/routes.js';

export default function OverviewPage({ projectId }: ProjectPageProps) {
  return <Page title="Overview">{projectId}</Page>;
}
