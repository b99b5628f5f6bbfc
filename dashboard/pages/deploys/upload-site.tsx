import { useId, useState } from 'preact/hooks';
import { ApiFailure } from '../../api/api-failure.js';
import { inSession, useSession } from '../../api/session-context.js';
import { upload } from '../../api/upload.js';
import { useMutation } from '../../api/use-mutation.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { Form } from '../../components/form.js';
import { CREATE_DEPLOY } from './deploy-documents.js';
import { archiveOf } from './archive-of.js';

export interface UploadSiteProps {
  projectId: string;
  onDone: (words: string) => Promise<void>;
  /** The deploy exists, and contains the reason of its failure. */
  onFailed: () => Promise<void>;
  onClose: () => void;
}

export function UploadSite({ projectId, onDone, onFailed, onClose }: UploadSiteProps) {
  const signedIn = useSession();
  const create = useMutation(CREATE_DEPLOY);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [message, setMessage] = useState('');
  const [progress, setProgress] = useState<number>();
  const [failure, setFailure] = useState<ApiFailure>();
  const shown = failure ?? create.failure;

  async function submit() {
    setFailure(undefined);
    try {
      const archive = await archiveOf(files);
      const created = await create.run({ input: { projectId, ...(message !== '' && { message }) } });
      const to = created?.createDeploy.upload;
      if (!created || !to) return;
      setProgress(0);
      await inSession(signedIn, (csrfToken) => upload(to, archive, { csrfToken, onProgress: setProgress }));
      await onDone(`Deploy #${created.createDeploy.deploy.number} is live.`);
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
        fields={['files', 'archive', 'message']}
        action={isBusy ? 'Uploading…' : 'Upload and publish'}
        isBusy={isBusy}
        onClose={onClose}
      >
        <FilesField
          label="A folder"
          hint="With an index.html at its top: at most 10 MB and 500 files. It is packed here, in the browser."
          isFolder
          onChoose={setFiles}
          error={shown?.at('files')}
        />
        <FilesField
          label="Or an archive"
          hint="The same as a .tar.gz file."
          onChoose={setFiles}
          error={shown?.at('archive')}
        />
        <Field
          label="Message"
          name="message"
          hint="What is new, for those who look at the list. It may be left out."
          value={message}
          onChange={setMessage}
          error={shown?.at('message')}
          maxLength={200}
        />
        {progress !== undefined && <Progress share={progress} />}
      </Form>
    </Dialog>
  );
}

interface FilesFieldProps {
  label: string;
  hint: string;
  isFolder?: boolean;
  error?: string | undefined;
  onChoose: (files: readonly File[]) => void;
}

function FilesField({ label, hint, isFolder = false, error, onChoose }: FilesFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      <p class="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
      <input
        id={id}
        class="input"
        type="file"
        {...(isFolder ? { webkitdirectory: true } : { accept: '.tar.gz,.tgz,application/gzip' })}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
        onChange={({ currentTarget }) => onChoose([...(currentTarget.files ?? [])])}
      />
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function Progress({ share }: { share: number }) {
  return (
    <div class="stack">
      <progress class="progress" max={1} value={share} aria-label="Upload" />
      <p class="quiet small">
        {share < 1
          ? `${Math.round(share * 100)} % sent`
          : 'All is sent. The gateway reads it and publishes it.'}
      </p>
    </div>
  );
}
