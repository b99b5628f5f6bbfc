import { useMutation } from '../../../api/use-mutation.js';
import { useQuery } from '../../../api/use-query.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { Card } from '../../../components/card.js';
import { FailureNotice } from '../../../components/form.js';
import { formatCount } from '../../../components/format-count.js';
import { Notice } from '../../../components/notice.js';
import { Empty, Loaded } from '../../../components/states.js';
import { Table } from '../../../components/table.js';
import { Totals } from '../../../components/totals.js';
import { withCode } from '../../../components/with-code.js';
import { addressOf } from '../../../shell/addresses.js';
import { PETS_IMPORT_BY_ID, START_PETS_IMPORT, type PetsImport } from './import-documents.js';

export interface ImportResultProps {
  projectId: string;
  id: string;
  fileName: string;
  /** Back to the choice of a file. */
  onAgain: () => void;
  /** After the import: to choose the next file. */
  onNext: () => void;
}

const POLL_MS = 1000;

/** What the file would change, and after that what it changed. */
export function ImportResult({ projectId, id, fileName, onAgain, onNext }: ImportResultProps) {
  const query = useQuery(PETS_IMPORT_BY_ID, { id }, { pollAfterMs: pollAfterMs });
  const start = useMutation(START_PETS_IMPORT);

  async function confirm() {
    if ((await start.run({ input: { id } })) !== undefined) await query.refetch();
  }

  return (
    <Loaded query={query} skeletonRows={4}>
      {({ petsImport }) => {
        if (petsImport === null) return <Empty title="Import not found">Choose the file again.</Empty>;
        const { state, rejectedLines, notRemovedReason, problem } = petsImport;
        const isOver = state === 'done';
        const changes = petsImport.added + petsImport.changed + petsImport.removed;
        const again = <Button onPress={onAgain}>Change the file or the choices</Button>;
        return (
          <Card
            title={TITLES[state]}
            description={`${fileName}, ${petsImport.lines} ${petsImport.lines === 1 ? 'line' : 'lines'} with an animal`}
            actions={
              state === 'checked' ? (
                <>
                  {again}
                  {changes > 0 && (
                    <Button kind="primary" isBusy={start.isRunning} onPress={() => void confirm()}>
                      {`Import: ${wordsOf(petsImport)}`}
                    </Button>
                  )}
                </>
              ) : isOver ? (
                <>
                  <Button onPress={onNext}>Import another file</Button>
                  <ButtonLink kind="primary" href={addressOf.animals(projectId)}>
                    Show the animals
                  </ButtonLink>
                </>
              ) : (
                state !== 'applying' && again
              )
            }
          >
            {start.failure !== undefined && <FailureNotice failure={start.failure} />}
            {problem !== null && (
              <Notice tone="bad" isAlert>
                {withCode(problem)}
              </Notice>
            )}
            {state === 'applying' && <progress class="progress" aria-label="Import" />}
            {state !== 'failed' && state !== 'expired' && (
              <Totals
                totals={[
                  { word: isOver ? 'added' : 'would be added', count: petsImport.added },
                  { word: isOver ? 'changed' : 'would change', count: petsImport.changed },
                  { word: 'unchanged', count: petsImport.unchanged },
                  { word: isOver ? 'removed' : 'would be removed', count: petsImport.removed },
                  { word: 'rejected', count: petsImport.rejected, isFault: true },
                ]}
              />
            )}
            {state === 'checked' && changes === 0 && (
              <p>There is nothing to import: no line in the file changes an animal.</p>
            )}
            {notRemovedReason !== null && (
              <Notice
                tone="warn"
                title={petsImport.removed === 0 ? 'No animal is removed' : 'Not all animals were removed'}
              >
                {withCode(notRemovedReason)}
              </Notice>
            )}
            {rejectedLines.length > 0 && <Rejections petsImport={petsImport} />}
          </Card>
        );
      }}
    </Loaded>
  );
}

/** `add 2, remove 1` */
function wordsOf({ added, changed, removed }: PetsImport): string {
  const parts = [
    { verb: 'add', count: added },
    { verb: 'change', count: changed },
    { verb: 'remove', count: removed },
  ];
  return parts
    .filter(({ count }) => count > 0)
    .map(({ verb, count }) => `${verb} ${formatCount(count)}`)
    .join(', ');
}

const TITLES: Record<PetsImport['state'], string> = {
  awaiting_file: 'Waiting for the file',
  checked: 'Check what would change',
  applying: 'Importing…',
  done: 'Imported',
  failed: 'The import failed',
  expired: 'The import expired',
};

function pollAfterMs({ petsImport }: { petsImport: PetsImport | null }): number | undefined {
  return petsImport?.state === 'applying' || petsImport?.state === 'awaiting_file' ? POLL_MS : undefined;
}

function Rejections({ petsImport: { state, rejected, rejectedLines } }: { petsImport: PetsImport }) {
  return (
    <div class="stack">
      <div>
        <h3>Rejected lines</h3>
        <p class="quiet">
          {state === 'done' ? 'They changed nothing. ' : 'They would change nothing. '}
          Correct them in your software or in the file, and import it again. In a file, Reserved is{' '}
          <code>pending</code> and Adopted is <code>sold</code>.
          {rejected > rejectedLines.length && ` These are the first ${rejectedLines.length} of ${rejected}.`}
        </p>
      </div>
      <Table
        caption="Rejected lines"
        rows={rejectedLines}
        keyOf={({ line, reason }) => `${line} ${reason}`}
        shortTo={20}
        columns={[
          { header: 'Where', cell: ({ line }) => `Line ${line}` },
          { header: 'Reason', cell: ({ reason }) => reason },
        ]}
      />
    </div>
  );
}
