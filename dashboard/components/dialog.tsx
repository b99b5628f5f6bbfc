import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { ApiFailure } from '../api/api-failure.js';
import { Button } from './button.js';
import { DialogButtons, type DialogButtonsProps } from './dialog-buttons.js';
import { FailureNotice } from './form.js';
import { Icon } from './icon.js';

export interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  isWide?: boolean;
  /** Only what is inside closes it, not Escape nor a press beside it: what it shows is shown once. */
  isHeld?: boolean;
}

/** Modal while it is rendered: the browser keeps the focus inside, closes it with Escape and gives the focus back. */
export function Dialog({ title, children, onClose, isWide = false, isHeld = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the browser goes on: what is typed right after the press that opens it is meant for it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // Of a second `cancel` in a row browsers do not let a page have its way.
        if (isHeld && event.key === 'Escape') event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isHeld) onClose();
      }}
      onMouseDown={(event) => {
        // Beside it: its own box is filled by .dialog-box.
        if (event.target === event.currentTarget && !isHeld) onClose();
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {!isHeld && (
            <Button kind="quiet" isSmall label="Close" onPress={onClose}>
              <Icon name="close" />
            </Button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

export interface ConfirmDialogProps extends Omit<DialogButtonsProps, 'onAction'> {
  title: string;
  /** What follows from it. */
  children: ComponentChildren;
  failure: ApiFailure | undefined;
  onConfirm: () => void;
}

export function ConfirmDialog({ title, children, failure, onConfirm, ...buttons }: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={buttons.onClose}>
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div class="prose">{children}</div>
      <DialogButtons {...buttons} onAction={onConfirm} />
    </Dialog>
  );
}
