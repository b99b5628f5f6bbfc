import { curlOf } from '../../api/curl.js';
import { Calls } from '../../components/calls.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { CREATE_DEPLOY, PROJECT_DEPLOYS, ROLLBACK_DEPLOY } from './deploy-documents.js';

export const deployCommandOf = (projectId: string) => `npx pets-gateway deploy DIR --project ${projectId}`;

export function DeployCalls({ projectId }: ProjectPageProps) {
  return (
    <Calls
      calls={[
        { title: 'List deploys', code: curlOf(PROJECT_DEPLOYS, { id: projectId, after: null }) },
        {
          title: 'Publish the storefront',
          code: curlOf(CREATE_DEPLOY, { input: { projectId, template: 'storefront' } }),
        },
        { title: 'Start a deploy of your own files', code: curlOf(CREATE_DEPLOY, { input: { projectId } }) },
        {
          title: 'Upload its archive to the URL in the response',
          code: [
            `curl -s -X PUT ${location.origin}/deploys/DEPLOY_ID/archive \\`,
            '  -H "Authorization: Bearer $API_KEY" -H \'Content-Type: application/gzip\' \\',
            '  --data-binary @site.tar.gz',
          ].join('\n'),
        },
        { title: 'Roll back', code: curlOf(ROLLBACK_DEPLOY, { input: { projectId, deployId: 'dep_…' } }) },
        { title: 'Deploy a folder from the command line', code: deployCommandOf(projectId) },
      ]}
    />
  );
}
