import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/routes.js';

export default function DomainsPage({ projectId }: ProjectPageProps) {
  return <Page title="Domains">{projectId}</Page>;
}
