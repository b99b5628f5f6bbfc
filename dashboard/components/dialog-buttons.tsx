import { Button } from './button.js';

export interface DialogButtonsProps {
  /** The button's text: names the action, not "OK". */
  action: string;
  isDangerous?: boolean | undefined;
  isBusy: boolean;
  /** Not needed in a form, where the button submits. */
  onAction?: (() => void) | undefined;
  onClose: () => void;
}

/** The Cancel and action buttons of a dialog. */
export function DialogButtons({
  action,
  isDangerous = false,
  isBusy,
  onAction,
  onClose,
}: DialogButtonsProps) {
  return (
    <div class="actions">
      <Button onPress={onClose}>Cancel</Button>
      <Button
        type={onAction === undefined ? 'submit' : 'button'}
        kind={isDangerous ? 'danger' : 'primary'}
        isBusy={isBusy}
        onPress={onAction}
      >
        {action}
      </Button>
    </div>
  );
}
