import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiFailure } from '../api/api-failure.js';
import { DialogButtons, type DialogButtonsProps } from './dialog-buttons.js';
import { Notice } from './notice.js';

export interface FormProps extends Omit<DialogButtonsProps, 'onAction'> {
  children: ComponentChildren;
  onSubmit: () => void;
  failure: ApiFailure | undefined;
  /** The fields that show their own errors; all other errors appear above the form. */
  fields: readonly string[];
}

/** The fields of a dialog, and its buttons. */
export function Form({ children, onSubmit, failure, fields, ...buttons }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failure !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {failure !== undefined && !failure.isAt(fields) && <FailureNotice failure={failure} />}
      {children}
      <DialogButtons {...buttons} />
    </form>
  );
}

/** Shows an error with the API's message. */
export function FailureNotice({ failure }: { failure: ApiFailure }) {
  return (
    <Notice tone="bad" isAlert>
      {failure.message}
      {failure.retryAfterSeconds !== undefined && ` Try again in ${failure.retryAfterSeconds} s.`}
    </Notice>
  );
}
