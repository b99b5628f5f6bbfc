import { useState } from 'preact/hooks';
import { ApiFailure } from '../../../api/api-failure.js';
import { curlOf } from '../../../api/curl.js';
import { inSession, useSession } from '../../../api/session-context.js';
import { upload } from '../../../api/upload.js';
import { useMutation } from '../../../api/use-mutation.js';
import { Button, ButtonLink } from '../../../components/button.js';
import { Calls } from '../../../components/calls.js';
import { Card } from '../../../components/card.js';
import { Field, FilesField, SelectField, type Choice } from '../../../components/field.js';
import { FailureNotice } from '../../../components/form.js';
import { addressOf } from '../../../shell/addresses.js';
import { Page } from '../../../shell/page.js';
import type { ProjectPageProps } from '../../../shell/project-page.js';
import type { CreatePetsImportInput, PetsImportExisting } from '../../../api/schema-types.js';
import { DropZone } from '../../deploys/drop-zone.js';
import { CREATE_PETS_IMPORT, PETS_IMPORT_BY_ID, type PetsImport } from './import-documents.js';
import { ImportResult } from './import-result.js';
import { mediaTypeOf } from './media-type.js';

const EXISTING: readonly Choice<PetsImportExisting>[] = [
  { value: 'replace', label: 'Update them from the file' },
  { value: 'skip', label: 'Leave them as they are' },
  { value: 'reject', label: 'Reject the line' },
];

type Others = 'fault' | 'ignore';
const OTHERS: readonly Choice<Others>[] = [
  { value: 'ignore', label: 'Ignore them' },
  { value: 'fault', label: 'Stop, and say which ones' },
];

type Missing = 'keep' | 'remove';
const MISSING: readonly Choice<Missing>[] = [
  { value: 'keep', label: 'Keep them' },
  { value: 'remove', label: 'Remove them' },
];

const EXAMPLE = 'externalId,name,categoryId,status\nA-17,Luna,2,available\nA-18,Rex,1,pending';

/** Brings in a file of animals: choose it, see what would change, confirm. */
export default function ImportPage({ projectId }: ProjectPageProps) {
  const signedIn = useSession();
  const create = useMutation(CREATE_PETS_IMPORT);
  const [file, setFile] = useState<File>();
  const [existing, setExisting] = useState<PetsImportExisting>('replace');
  const [missing, setMissing] = useState<Missing>('keep');
  const [deleteAtMost, setDeleteAtMost] = useState('');
  const [others, setOthers] = useState<Others>('fault');
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  /** The import whose file was checked. */
  const [checked, setChecked] = useState<PetsImport>();
  const input: CreatePetsImportInput = {
    projectId,
    existing,
    deleteMissing: missing === 'remove',
    ...(missing === 'remove' && deleteAtMost !== '' && { deleteAtMost: Number(deleteAtMost) }),
    dryRun: true,
    ignoreUnknown: others === 'ignore',
  };
  const isBusy = create.isRunning || progress !== undefined;

  function choose(chosen: File | undefined) {
    setFile(chosen);
    setFailure(undefined);
  }

  async function check() {
    setFailure(undefined);
    if (file === undefined) {
      const message = 'Choose a file first.';
      setFailure(new ApiFailure('invalid_request', message, 400, { fields: [{ field: 'file', message }] }));
      return;
    }
    const created = await create.run({ input });
    if (created === undefined) return;
    const { uploadUrl } = created.createPetsImport;
    const headers = [{ name: 'Content-Type', value: await mediaTypeOf(file) }];
    setProgress(0);
    try {
      await inSession(signedIn, (csrfToken) =>
        upload({ method: 'PUT', url: uploadUrl, headers }, file, { csrfToken, onProgress: setProgress }),
      );
      setChecked(created.createPetsImport.petsImport);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setFailure(error);
    } finally {
      setProgress(undefined);
    }
  }

  const shown = failure ?? create.failure;
  return (
    <Page
      title="Import animals"
      description="Bring in the animals from your shelter’s software. You see what would change before anything changes."
      actions={<ButtonLink href={addressOf.animals(projectId)}>Back to Animals</ButtonLink>}
    >
      {checked === undefined ? (
        <Card title="Choose a file">
          <form
            class="form import-form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (!isBusy) void check();
            }}
          >
            {shown !== undefined && shown.at('file') === undefined && <FailureNotice failure={shown} />}
            <DropZone
              chosen={file === undefined ? [] : [{ path: '', file }]}
              onDrop={(files) => choose(files[0]?.file)}
              invitation="Drop a CSV or NDJSON file here, or choose one below."
            />
            <FilesField
              label="File"
              name="file"
              hint="CSV with a header line, or NDJSON, which has a JSON object on each line."
              error={shown?.at('file')}
              accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onChoose={(files) => choose(files[0])}
            />
            <details class="disclosure" open={shown !== undefined}>
              <summary>What the file must contain</summary>
              <p class="quiet">
                A CSV file is saved as UTF-8. Its columns are separated by commas, semicolons or tabs, and can
                be in any order. The first line has these names of columns. <code>externalId</code> is your
                own number of the animal: with it, the next file updates the same animals.{' '}
                <code>categoryId</code> is the number of its category. <code>status</code> is{' '}
                <code>available</code>, <code>pending</code> (reserved) or <code>sold</code> (adopted).
                Without the column, new animals are available.
              </p>
              <div class="code">
                <pre tabIndex={0} aria-label="Example of a CSV file">
                  <code>{EXAMPLE}</code>
                </pre>
              </div>
            </details>
            <SelectField
              label="Animals in the file that you already have"
              name="existing"
              hint="They are recognized by your own number, the column externalId."
              value={existing}
              choices={EXISTING}
              onChange={setExisting}
            />
            <SelectField
              label="Animals that are missing from the file"
              name="deleteMissing"
              hint="Only animals with your own number are removed."
              value={missing}
              choices={MISSING}
              onChange={setMissing}
            />
            {missing === 'remove' && (
              <Field
                label="Remove at most"
                name="deleteAtMost"
                type="number"
                hint="If more animals are missing from the file, none is removed. Empty: a fifth of your animals."
                value={deleteAtMost}
                onChange={setDeleteAtMost}
              />
            )}
            <SelectField
              label="Other columns"
              name="ignoreUnknown"
              hint="Columns of your software that the gateway does not store, such as the breed."
              value={others}
              choices={OTHERS}
              onChange={setOthers}
            />
            <div class="actions">
              <Button type="submit" kind="primary" isBusy={isBusy}>
                {isBusy ? 'Checking…' : 'Check the file'}
              </Button>
            </div>
            {progress !== undefined && <Progress share={progress} />}
          </form>
        </Card>
      ) : (
        <ImportResult
          key={checked.id}
          projectId={projectId}
          id={checked.id}
          fileName={file?.name ?? ''}
          onAgain={() => setChecked(undefined)}
          onNext={() => {
            choose(undefined);
            setChecked(undefined);
          }}
        />
      )}
      <Calls
        calls={[
          {
            title: 'Create an import that only checks the file',
            code: curlOf(CREATE_PETS_IMPORT, { input }),
          },
          {
            title: 'See the result of an import',
            code: curlOf(PETS_IMPORT_BY_ID, { id: checked?.id ?? 'imp_…' }),
          },
        ]}
      />
    </Page>
  );
}

function Progress({ share }: { share: number }) {
  return (
    <div class="stack">
      <progress class="progress" max={1} value={share} aria-label="Upload" />
      <p class="quiet small" role="status">
        {share < 1 ? `${Math.round(share * 100)}% uploaded` : 'Uploaded. The gateway is checking each line.'}
      </p>
    </div>
  );
}
