import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { SaidInDialog } from './announcer.js';
import { Button } from './button.js';
import { Icon } from './icon.js';

export interface DialogProps {
  title: ComponentChildren;
  children: ComponentChildren;
  onClose: () => void;
  isWide?: boolean;
  /**
   * Only its content can close the dialog, neither Escape nor a press beside it: it shows something that is shown only
   * once.
   */
  isHeld?: boolean;
}

/**
 * A modal dialog while it is rendered: the browser keeps the focus inside, closes it with Escape and returns the focus.
 */
export function Dialog({ title, children, onClose, isWide = false, isHeld = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before the browser continues: text typed right after the press that opens the dialog must go into the dialog.
  useLayoutEffect(() => {
    const shown = dialog.current;
    const opener = document.activeElement;
    shown?.showModal();
    // A field with autofocus has the focus. Without one, the browser gives it to Close.
    if (!isHeld && document.activeElement === shown?.querySelector('.dialog-head button'))
      shown.querySelector<HTMLElement>('form :is(input, select, textarea, button)')?.focus();
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
        // Browsers do not let a page prevent a second `cancel` in a row.
        if (isHeld && event.key === 'Escape') event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isHeld) onClose();
      }}
      onMouseDown={(event) => {
        // A press beside the dialog: .dialog-box fills the dialog's own box.
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
        <SaidInDialog />
      </div>
    </dialog>
  );
}
