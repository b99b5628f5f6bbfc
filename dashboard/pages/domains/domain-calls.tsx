import { curlOf } from '../../api/curl.js';
import { Calls } from '../../components/calls.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { ADD_DOMAIN, PROJECT_DOMAINS, SET_PRIMARY_DOMAIN, VERIFY_DOMAIN } from './domain-documents.js';

export function DomainCalls({ projectId }: ProjectPageProps) {
  return (
    <Calls
      calls={[
        { title: 'List domains with their DNS records', code: curlOf(PROJECT_DOMAINS, { id: projectId }) },
        {
          title: 'Add a domain',
          code: curlOf(ADD_DOMAIN, { input: { projectId, name: 'shop.example.com' } }),
        },
        { title: 'Verify a domain', code: curlOf(VERIFY_DOMAIN, { input: { id: 'dom_…' } }) },
        {
          title: 'Set the primary domain',
          code: curlOf(SET_PRIMARY_DOMAIN, { input: { projectId, domainId: 'dom_…' } }),
        },
      ]}
    />
  );
}
