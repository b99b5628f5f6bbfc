import type { DeployState } from '../../api/schema-types.js';
import { Button } from '../../components/button.js';
import { Name } from '../../components/name.js';
import { Badge, type Tone } from '../../components/notice.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { ChangesSummary } from './changes-summary.js';
import type { Deploy } from './deploy-documents.js';
import { formatSize } from './format-size.js';

const STATES: Record<DeployState, { word: string; tone: Tone }> = {
  awaiting_upload: { word: 'Awaiting upload', tone: 'info' },
  expired: { word: 'Expired', tone: 'neutral' },
  failed: { word: 'Failed', tone: 'bad' },
  ready: { word: 'Ready', tone: 'neutral' },
};

export interface DeployTableProps {
  deploys: readonly Deploy[];
  onRollBack: (deploy: Deploy) => void;
}

export function DeployTable({ deploys, onRollBack }: DeployTableProps) {
  return (
    <Table
      caption="Deploys, newest first"
      rows={deploys}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Number', cell: ({ number }) => <strong>#{number}</strong> },
        { header: 'State', cell: (deploy) => <State deploy={deploy} /> },
        { header: 'Message', cell: ({ message }) => (message === null ? '–' : <Name>{message}</Name>) },
        { header: 'By', cell: authorOf },
        { header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { header: 'Size', cell: sizeOf },
        {
          header: 'Changes',
          cell: ({ changes }) => (changes === null ? '–' : <ChangesSummary changes={changes} />),
        },
        {
          header: 'Actions',
          isHeaderHidden: true,
          cell: (deploy) =>
            deploy.state === 'ready' &&
            !deploy.isLive && (
              <div class="actions">
                <Button
                  isSmall
                  label={`Roll back to deploy #${deploy.number}`}
                  onPress={() => onRollBack(deploy)}
                >
                  Roll back
                </Button>
              </div>
            ),
        },
      ]}
    />
  );
}

function State({ deploy: { state, isLive, spa, problem, notLiveReason } }: { deploy: Deploy }) {
  const words = problem ?? notLiveReason;
  const { word, tone } = STATES[state];
  return (
    <div class="deploy-state">
      {isLive ? <Badge tone="good">Live</Badge> : <Badge tone={tone}>{word}</Badge>}
      {spa && <p class="small quiet">Single-page application</p>}
      {words !== null && <p class="small">{words}</p>}
    </div>
  );
}

function authorOf({ createdByRole, createdByKeyId }: Deploy) {
  return createdByKeyId === null ? (
    createdByRole
  ) : (
    <span title={`Key ${createdByKeyId}`}>{createdByRole} key</span>
  );
}

function sizeOf({ fileCount, sizeBytes }: Deploy): string {
  if (fileCount === null || sizeBytes === null) return '–';
  return `${formatSize(sizeBytes)} in ${fileCount} ${fileCount === 1 ? 'file' : 'files'}`;
}
