import { useState } from 'preact/hooks';
import { curlOf } from '../../api/curl.js';
import { useSession } from '../../api/session-context.js';
import { useQuery } from '../../api/use-query.js';
import { Button, ButtonLink } from '../../components/button.js';
import { Calls } from '../../components/calls.js';
import { Notice } from '../../components/notice.js';
import { Empty, Loaded } from '../../components/states.js';
import { addressOf } from '../../shell/addresses.js';
import { Page } from '../../shell/page.js';
import type { ProjectPageProps } from '../../shell/project-page.js';
import { BanNotice } from './ban-notice.js';
import { DisableKey, EnableKey } from './disable-key.js';
import { EditKey } from './edit-key.js';
import {
  DISABLE_KEY,
  ENABLE_KEY,
  KEY,
  KEY_REFUSALS,
  KEY_USAGE,
  REVOKE_KEY,
  ROTATE_KEY,
  UPDATE_KEY,
} from './key-documents.js';
import { KeyFacts } from './key-facts.js';
import { KeyHistory } from './key-history.js';
import { KeyRefusals } from './key-refusals.js';
import { KeyUsage } from './key-usage.js';
import { QuotaCard } from './quota-card.js';
import { ResetQuota } from './reset-quota.js';
import { RevokeKey } from './revoke-key.js';
import { RotateKey } from './rotate-key.js';
import { firstDayOf } from './usage-range.js';
import { isUsed } from './window-meter.js';

const POLL_MS = 5_000;

export interface KeyPageProps extends ProjectPageProps {
  keyId: string;
}

type OpenDialog = 'edit' | 'rotate' | 'disable' | 'enable' | 'revoke' | 'reset';

export default function KeyPage({ projectId, keyId }: KeyPageProps) {
  const { session } = useSession();
  const [open, setOpen] = useState<OpenDialog>();
  // Polling stops while a secret may be visible: a response that ends the session would remove the secret.
  const isQuiet = open !== undefined;
  const query = useQuery(KEY, { id: keyId }, { pollAfterMs: () => (isQuiet ? undefined : POLL_MS) });
  const isAdmin = session.role === 'admin';
  const isOwn = session.keyId === keyId;
  const { refetch } = query;
  const found = query.result?.apiKey;
  const key = found?.project?.id === projectId ? found : undefined;
  const mayChange = key !== undefined && key.state !== 'revoked';
  const close = () => setOpen(undefined);

  return (
    <Page
      title={key?.name ?? 'Key'}
      description={<a href={addressOf.keys(projectId)}>All keys of this project</a>}
      actions={
        mayChange && (
          <>
            <Button onPress={() => setOpen('edit')}>Edit</Button>
            {/* Only the person gets the secret of a staff key: the page Staff creates links. */}
            {/* An expired key needs a later expiry first, or its new secret would not work either. */}
            {key.state !== 'expired' && key.role !== 'staff' && (
              <Button onPress={() => setOpen('rotate')}>Rotate</Button>
            )}
            {key.state === 'active' && <Button onPress={() => setOpen('disable')}>Disable</Button>}
            {key.state === 'disabled' && <Button onPress={() => setOpen('enable')}>Enable</Button>}
            <Button kind="danger" onPress={() => setOpen('revoke')}>
              Revoke
            </Button>
          </>
        )
      }
    >
      <Loaded query={query} skeletonRows={8}>
        {({ auditLog }) => {
          if (key === undefined) return <NoSuchKey projectId={projectId} keyId={keyId} />;
          const changes = auditLog.edges.map(({ node }) => node);
          return (
            <>
              {key.state === 'disabled' && (
                <Notice tone="warn" title="This key is disabled">
                  Requests with it get a 401 response until somebody enables it.
                </Notice>
              )}
              {key.quota.ban !== null && (
                <BanNotice apiKeyId={keyId} ban={key.quota.ban} isAdmin={isAdmin} onLifted={refetch} />
              )}
              <QuotaCard apiKey={key} isAdmin={isAdmin} onReset={() => setOpen('reset')} />
              <KeyFacts apiKey={key} changes={changes} />
              <KeyUsage keyId={keyId} isInUse={isUsed(key.quota)} isQuiet={isQuiet} />
              <KeyRefusals keyId={keyId} isQuiet={isQuiet} />
              <KeyHistory changes={changes} />
              {open === 'edit' && <EditKey apiKey={key} onChanged={refetch} onClose={close} />}
              {open === 'rotate' && <RotateKey apiKey={key} onRotated={refetch} onClose={close} />}
              {open === 'disable' && (
                <DisableKey apiKey={key} isOwn={isOwn} onDone={refetch} onClose={close} />
              )}
              {open === 'enable' && <EnableKey apiKey={key} onDone={refetch} onClose={close} />}
              {open === 'revoke' && (
                <RevokeKey apiKey={key} isOwn={isOwn} onRevoked={refetch} onClose={close} />
              )}
              {open === 'reset' && <ResetQuota apiKey={key} onReset={refetch} onClose={close} />}
            </>
          );
        }}
      </Loaded>
      <Calls
        calls={[
          { title: 'Read the key, its quota and its changes', code: curlOf(KEY, { id: keyId }) },
          {
            title: 'Read its usage',
            code: curlOf(KEY_USAGE, { id: keyId, from: firstDayOf(30, Date.now()) }),
          },
          { title: 'Read its rejected requests', code: curlOf(KEY_REFUSALS, { id: keyId }) },
          {
            title: 'Change its name, expiry or origins',
            code: curlOf(UPDATE_KEY, { input: { id: keyId, name: 'Shop backend', expiresAt: null } }),
          },
          {
            title: 'Rotate the key',
            code: curlOf(ROTATE_KEY, { input: { id: keyId, overlapSeconds: 86_400 } }),
          },
          { title: 'Disable the key', code: curlOf(DISABLE_KEY, { input: { id: keyId } }) },
          { title: 'Enable it again', code: curlOf(ENABLE_KEY, { input: { id: keyId } }) },
          { title: 'Revoke the key', code: curlOf(REVOKE_KEY, { input: { id: keyId } }) },
        ]}
      />
    </Page>
  );
}

function NoSuchKey({ projectId, keyId }: KeyPageProps) {
  return (
    <Empty
      title="Key not found"
      action={<ButtonLink href={addressOf.keys(projectId)}>Show all keys</ButtonLink>}
    >
      This project has no key with the ID {keyId}.
    </Empty>
  );
}
