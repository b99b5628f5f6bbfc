import type { ComponentChildren } from 'preact';
import { classNames } from './class-names.js';

export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface ButtonProps {
  children: ComponentChildren;
  kind?: ButtonKind;
  type?: 'button' | 'submit';
  /** Small, for rows of tables. */
  isSmall?: boolean;
  /** Shows that the action is running, and ignores further presses. The button stays in the tab order. */
  isBusy?: boolean;
  isDisabled?: boolean;
  /** For a button that shows and hides something: whether it is shown. */
  isExpanded?: boolean;
  /** The full label for screen readers, if the text does not name the object: "Remove shop.example.com". */
  label?: string;
  onPress?: (() => void) | undefined;
}

export function Button({
  children,
  kind = 'secondary',
  type = 'button',
  isSmall = false,
  isBusy = false,
  isDisabled = false,
  isExpanded,
  label,
  onPress,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={classNames('button', `button-${kind}`, isSmall && 'button-small')}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      aria-label={label}
      aria-expanded={isExpanded}
      disabled={isDisabled}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else onPress?.();
      }}
    >
      {children}
    </button>
  );
}

export interface ButtonLinkProps {
  children: ComponentChildren;
  href: string;
  kind?: ButtonKind;
  isSmall?: boolean;
}

/** A link that looks like a button. */
export function ButtonLink({ children, href, kind = 'secondary', isSmall = false }: ButtonLinkProps) {
  return (
    <a class={classNames('button', `button-${kind}`, isSmall && 'button-small')} href={href}>
      {children}
    </a>
  );
}
