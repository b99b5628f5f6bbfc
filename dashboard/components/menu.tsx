import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';

export interface MenuItem {
  label: string;
  onChoose: () => void;
  isDangerous?: boolean;
  /** Makes the menu a choice: this item is the current one. */
  isChosen?: boolean;
}

export interface MenuProps {
  /** Names the object of the actions: "Actions for shop.example.com". */
  label: string;
  items: readonly MenuItem[];
  /** The content of the button; three dots by default. */
  children?: ComponentChildren;
  /** The classes of the button. */
  look?: string;
  isBusy?: boolean;
}

/** The menu button of the ARIA authoring practices: arrow keys move, Escape closes the menu and returns the focus. */
export function Menu({
  label,
  items,
  children = <Icon name="more" />,
  look = 'button-quiet',
  isBusy = false,
}: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  const choices = () => [...(root.current?.querySelectorAll<HTMLElement>('.menu-item') ?? [])];

  // Not after the next frame: a key pressed before it would find the focus on the button, and its move would be undone.
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    (choices().find(({ ariaChecked }) => ariaChecked === 'true') ?? choices()[0])?.focus();
    const closeFromOutside = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeFromOutside);
    return () => document.removeEventListener('pointerdown', closeFromOutside);
  }, [isOpen]);

  function close() {
    setOpen(false);
    button.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) return;
    const all = choices();
    const at = all.findIndex((choice) => choice === document.activeElement);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === 'Tab') setOpen(false);
    else if (event.key === 'Escape') close();
    else if (target !== undefined) all.at(target % all.length)?.focus();
    if (event.key === 'Escape' || target !== undefined) event.preventDefault();
  }

  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={classNames('button button-small', look)}
        aria-label={label}
        aria-busy={isBusy}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        onClick={() => setOpen(!isOpen && !isBusy)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-list" id={menuId} role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role={item.isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChosen}
              tabIndex={-1}
              class={classNames('menu-item', item.isDangerous === true && 'is-dangerous')}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              {item.label}
              {item.isChosen === true && <Icon name="check" />}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
