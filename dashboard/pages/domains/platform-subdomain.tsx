import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { ExternalLink } from '../../components/external-link.js';
import { Badge } from '../../components/notice.js';
import type { Site } from './domain-documents.js';

export interface PlatformSubdomainProps {
  site: Site;
  isPrimary: boolean;
  isDeployed: boolean;
  isBusy: boolean;
  onSetPrimary: () => void;
}

export function PlatformSubdomain(props: PlatformSubdomainProps) {
  const { site, isPrimary, isDeployed, isBusy, onSetPrimary } = props;
  const { host, url, isHttps, problem } = site;
  return (
    <Card
      title="Platform subdomain"
      description="Every project has this subdomain permanently, on every plan."
      actions={
        !isPrimary && (
          <Button isSmall isBusy={isBusy} label={`Set as primary: ${host}`} onPress={onSetPrimary}>
            Set as primary
          </Button>
        )
      }
    >
      <div class="row">
        <span class="domain-name">{isDeployed ? <ExternalLink href={url}>{host}</ExternalLink> : host}</span>
        <CopyButton value={host} what="platform subdomain" />
        {isPrimary && <Badge tone="info">Primary</Badge>}
        {!isDeployed && <Badge>Not deployed yet</Badge>}
      </div>
      {isDeployed && !isHttps && (
        <p class="quiet small">The site is served over HTTP for now. {problem?.message}</p>
      )}
    </Card>
  );
}
