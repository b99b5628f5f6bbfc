import { Button } from './button.js';

export interface DialogButtonsProps {
  /** The word on the button: what happens, not "OK". */
  action: string;
  isDangerous?: boolean | undefined;
  isBusy: boolean;
  /** In a form it submits, and needs none. */
  onAction?: (() => void) | undefined;
  onClose: () => void;
}

/** The two ways out of a dialog. */
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
