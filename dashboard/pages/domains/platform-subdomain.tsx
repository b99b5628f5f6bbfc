import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { Icon } from '../../components/icon.js';
import { Badge } from '../../components/notice.js';
import { siteUrlOf } from '../../shell/site-url.js';

export interface PlatformSubdomainProps {
  host: string;
  isPrimary: boolean;
  isDeployed: boolean;
  isBusy: boolean;
  onSetPrimary: () => void;
}

export function PlatformSubdomain(props: PlatformSubdomainProps) {
  const { host, isPrimary, isDeployed, isBusy, onSetPrimary } = props;
  return (
    <Card
      title="Platform subdomain"
      description="Every project has it, on every plan and for good."
      actions={
        !isPrimary && (
          <Button isSmall isBusy={isBusy} label={`Set ${host} as primary`} onPress={onSetPrimary}>
            Set as primary
          </Button>
        )
      }
    >
      <div class="row">
        {isDeployed ? (
          <a href={siteUrlOf(host)} target="_blank" rel="noreferrer" class="domain-name">
            {host} <Icon name="external" />
          </a>
        ) : (
          <span class="domain-name">{host}</span>
        )}
        <CopyButton value={host} what="platform subdomain" />
        {isPrimary && <Badge tone="info">Primary</Badge>}
        {!isDeployed && <Badge>Not deployed yet</Badge>}
      </div>
    </Card>
  );
}
