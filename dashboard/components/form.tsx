import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ApiFailure } from '../api/api-failure.js';
import { Button } from './button.js';
import { Notice } from './notice.js';
import { withCode } from './with-code.js';

export interface FormProps {
  /** Fields show the API's messages about them by their names. All other errors appear above the form. */
  children: ComponentChildren;
  /** The button's text: names the action, not "OK". */
  action: string;
  isDangerous?: boolean | undefined;
  isBusy: boolean;
  /** Whether the user can submit. True by default. */
  isReady?: boolean | undefined;
  failure: ApiFailure | undefined;
  onSubmit: () => void;
  onClose: () => void;
  /** The text of the button that closes the dialog; "Cancel" by default. */
  cancel?: string | undefined;
  /** Another action on the same fields, between Cancel and the main action. */
  otherAction?: { label: string; onPress: () => void } | undefined;
}

const FailureContext = createContext<ApiFailure | undefined>(undefined);

/** Returns the API's message about the field of this name, or undefined if there is none. */
export const useFieldError = (name: string) => useContext(FailureContext)?.at(name);

/** The content of a dialog that does something, with its buttons. */
export function Form({
  children,
  action,
  isDangerous = false,
  isBusy,
  isReady = true,
  failure,
  onSubmit,
  onClose,
  cancel = 'Cancel',
  otherAction,
}: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (failure !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);
  const isAtField = failure?.fields.some((name) => form.current?.elements.namedItem(name));
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
      {failure !== undefined && !isAtField && <FailureNotice failure={failure} />}
      <FailureContext.Provider value={failure}>{children}</FailureContext.Provider>
      <div class="actions">
        <Button onPress={onClose}>{cancel}</Button>
        {otherAction !== undefined && (
          <Button isBusy={isBusy} isDisabled={!isReady} onPress={otherAction.onPress}>
            {otherAction.label}
          </Button>
        )}
        <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} isDisabled={!isReady}>
          {action}
        </Button>
      </div>
    </form>
  );
}

/** Shows an error with the API's message, which for 429 says itself when to try again. */
export function FailureNotice({ failure }: { failure: ApiFailure }) {
  return (
    <Notice tone="bad" isAlert>
      {withCode(failure.message)}
      {failure.status !== 429 &&
        failure.retryAfterSeconds !== undefined &&
        ` Try again in ${failure.retryAfterSeconds} ${failure.retryAfterSeconds === 1 ? 'second' : 'seconds'}.`}
    </Notice>
  );
}
