import type { ComponentChildren } from 'preact';
import type { Document } from '../api/document.js';
import { useMutation } from '../api/use-mutation.js';
import { Dialog } from './dialog.js';
import { Form, type FormProps } from './form.js';

export interface FormDialogProps<Result, Variables extends object> extends Pick<
  FormProps,
  'action' | 'isDangerous' | 'isReady' | 'onClose'
> {
  title: ComponentChildren;
  document: Document<Result, Variables>;
  /** Called when the user submits. */
  variables: () => NoInfer<Variables>;
  /** Called after the mutation; closes the dialog. */
  onDone: (result: Result) => void;
  /** Fields, and the consequences of the action. */
  children: ComponentChildren;
  /** Below the buttons. */
  footer?: ComponentChildren;
}

/** A dialog that runs one mutation, with or without input. */
export function FormDialog<Result, Variables extends object>(props: FormDialogProps<Result, Variables>) {
  const { title, document, variables, onDone, children, footer, ...form } = props;
  const { run, failure, isRunning } = useMutation(document);

  async function submit() {
    const result = await run(variables());
    if (result !== undefined) onDone(result);
  }

  return (
    <Dialog title={title} onClose={form.onClose}>
      <Form {...form} failure={failure} isBusy={isRunning} onSubmit={() => void submit()}>
        {children}
      </Form>
      {footer}
    </Dialog>
  );
}
