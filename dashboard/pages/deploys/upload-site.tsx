import { useState } from 'preact/hooks';
import { ApiFailure } from '../../api/api-failure.js';
import { inSession, useSession } from '../../api/session-context.js';
import { upload } from '../../api/upload.js';
import { useMutation } from '../../api/use-mutation.js';
import { Dialog } from '../../components/dialog.js';
import { Field, FilesField, SelectField, type Choice } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { CREATE_DEPLOY, type Deploy } from './deploy-documents.js';
import { DropZone } from './drop-zone.js';
import { filesOfInput, type ChosenFile } from './dropped-files.js';
import { archiveOf } from './archive-of.js';

export interface UploadSiteProps {
  projectId: string;
  onDone: (words: string) => Promise<void>;
  /** The deploy exists, and contains the reason of its failure. */
  onFailed: () => Promise<void>;
  onClose: () => void;
}

/** What visitors see at an address without a file. */
type Missing = 'not found' | 'app';

const MISSING: readonly Choice<Missing>[] = [
  { value: 'not found', label: 'Show the 404 page' },
  { value: 'app', label: 'Show index.html (single-page application)' },
];

export function UploadSite({ projectId, onDone, onFailed, onClose }: UploadSiteProps) {
  const signedIn = useSession();
  const create = useMutation(CREATE_DEPLOY);
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [message, setMessage] = useState('');
  const [missing, setMissing] = useState<Missing>('not found');
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  const shown = failure ?? create.failure;

  async function submit() {
    setFailure(undefined);
    try {
      const archive = await archiveOf(files);
      const created = await create.run({
        input: { projectId, spa: missing === 'app', ...(message !== '' && { message }) },
      });
      const to = created?.createDeploy.upload;
      if (!created || !to) return;
      setProgress(0);
      const uploaded = (await inSession(signedIn, (csrfToken) =>
        upload(to, archive, { csrfToken, onProgress: setProgress }),
      )) as Pick<Deploy, 'number' | 'notLiveReason'>;
      await onDone(wordsOf(uploaded));
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setProgress(undefined);
      setFailure(error);
      await onFailed();
    }
  }

  const isBusy = create.isRunning || progress !== undefined;
  return (
    <Dialog title="Upload a site" onClose={onClose}>
      <Form
        onSubmit={() => void submit()}
        failure={shown}
        action={isBusy ? 'Uploading…' : 'Upload and publish'}
        isBusy={isBusy}
        onClose={onClose}
      >
        <DropZone
          chosen={files}
          onDrop={setFiles}
          invitation="Drop a folder or a .tar.gz file here, or choose one below."
        />
        <FilesField
          label="Folder"
          name="files"
          hint="Contains an index.html at its top level, at most 500 files and 10 MB. Your browser packs it."
          isFolder
          takesFocus
          onChoose={(chosen) => setFiles(filesOfInput(chosen))}
        />
        <FilesField
          label="Or an archive"
          name="archive"
          hint="The same content as a .tar.gz file."
          accept=".tar.gz,.tgz,application/gzip"
          onChoose={(chosen) => setFiles(filesOfInput(chosen))}
        />
        <SelectField
          label="Addresses without a file"
          name="spa"
          hint="A single-page application shows index.html for them, and its script shows the page."
          value={missing}
          choices={MISSING}
          onChange={setMissing}
        />
        <Field
          label="Message"
          name="message"
          hint="Optional. Describes this deploy in the list."
          value={message}
          onChange={setMessage}
          maxLength={200}
        />
        {progress !== undefined && <Progress share={progress} />}
      </Form>
    </Dialog>
  );
}

function wordsOf({ number, notLiveReason }: Pick<Deploy, 'number' | 'notLiveReason'>): string {
  return notLiveReason === null
    ? `Deploy #${number} is live.`
    : `Deploy #${number} is ready, but not live. ${notLiveReason}`;
}

function Progress({ share }: { share: number }) {
  return (
    <div class="stack">
      <progress class="progress" max={1} value={share} aria-label="Upload" />
      <p class="quiet small">
        {share < 1 ? `${Math.round(share * 100)}% uploaded` : 'Uploaded. The gateway is publishing the site.'}
      </p>
    </div>
  );
}
