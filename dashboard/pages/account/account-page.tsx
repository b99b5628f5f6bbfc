import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, noAnswer } from '../../api/api-failure.js';
import {
  endOtherSessions,
  endSession,
  listSessions,
  type ListedSession,
  type SessionsPage,
} from '../../api/session.js';
import { usePages } from '../../api/use-pages.js';
import { inSession, useSession } from '../../api/session-context.js';
import { useAnnounce } from '../../components/announcer.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { CopyButton } from '../../components/copy-button.js';
import { FailureNotice } from '../../components/form.js';
import { Name } from '../../components/name.js';
import { Badge } from '../../components/notice.js';
import { Pager } from '../../components/pager.js';
import { Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Page } from '../../shell/page.js';

/** Who is signed in, and where else the same key is signed in. */
export default function AccountPage() {
  const signedIn = useSession();
  const { session } = signedIn;
  const announce = useAnnounce();
  const [result, setResult] = useState<SessionsPage>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isBusy, setBusy] = useState(false);
  const pages = usePages();
  const { after } = pages;

  const attempt = useCallback(async (run: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
    } catch (error) {
      setFailure(error instanceof ApiFailure ? error : noAnswer());
    } finally {
      setBusy(false);
    }
  }, []);
  const shown = useRef(after);
  shown.current = after;
  const read = useCallback(async () => {
    const found = await inSession(signedIn, () => listSessions(after));
    // The reader may have turned the page meanwhile.
    if (shown.current === after) setResult(found);
  }, [signedIn, after]);
  const refetch = useCallback(() => attempt(read), [attempt, read]);
  useEffect(() => void refetch(), [refetch]);

  const endOne = ({ id, browser }: ListedSession) =>
    attempt(async () => {
      await inSession(signedIn, (csrfToken) => endSession(csrfToken, id));
      await read();
      announce(`Ended the session of ${nameOf(browser)}.`);
    });
  const endOthers = () =>
    attempt(async () => {
      const ended = await inSession(signedIn, endOtherSessions);
      pages.reset();
      await inSession(signedIn, () => listSessions(null)).then(setResult);
      announce(ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`);
    });

  const hasOthers = pages.number > 1 || (result?.sessions.some(({ isCurrent }) => !isCurrent) ?? false);
  return (
    <Page title="Your sessions" description="Browsers that are signed in with the same key as you.">
      <Card title="Signed in as">
        <dl class="facts">
          <dt>Key</dt>
          <dd>
            <Name>{session.keyName}</Name> ({session.role})
          </dd>
          <dt>Key ID</dt>
          <dd class="copied">
            <code>{session.keyId}</code> <CopyButton value={session.keyId} what="key ID" />
          </dd>
        </dl>
      </Card>
      <Card
        title="Sessions"
        description={
          session.role === 'staff'
            ? 'If you don’t recognize a session, end it. Then ask the owner of the project for a new link: it ends your key, which somebody else may know.'
            : 'If you don’t recognize a session, end it. Then rotate the key, because somebody else may know its secret.'
        }
        actions={
          hasOthers && (
            <Button kind="danger" isBusy={isBusy} onPress={() => void endOthers()}>
              End all other sessions
            </Button>
          )
        }
      >
        {result !== undefined && failure !== undefined && <FailureNotice failure={failure} />}
        <Loaded
          query={{
            result,
            failure: result === undefined ? failure : undefined,
            isLoading: isBusy,
            isStale: false,
            refetch,
          }}
        >
          {({ sessions, pageInfo }) => (
            <>
              <Table
                caption="Sessions, newest first"
                rows={sessions}
                keyOf={({ id }) => id}
                columns={[
                  {
                    header: 'Browser',
                    cell: ({ browser, isCurrent }) => (
                      <span>
                        {nameOf(browser)} {isCurrent && <Badge tone="good">This session</Badge>}
                      </span>
                    ),
                  },
                  { header: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
                  { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                  {
                    header: 'Actions',
                    isHeaderHidden: true,
                    cell: (each) =>
                      !each.isCurrent && (
                        <div class="actions">
                          <Button
                            isSmall
                            label={`End the session of ${nameOf(each.browser)}`}
                            onPress={() => void endOne(each)}
                          >
                            End
                          </Button>
                        </div>
                      ),
                  },
                ]}
              />
              <Pager pages={pages} pageInfo={pageInfo} what="sessions" />
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  );
}

function nameOf(browser: string | null): string {
  return browser ?? 'an unknown browser';
}
