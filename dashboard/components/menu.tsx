import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { classNames } from './class-names.js';
import { Icon } from './icon.js';

export interface MenuItem {
  label: string;
  onChoose: () => void;
  isDangerous?: boolean;
}

export interface MenuProps {
  /** Names the object of the actions: "Actions for shop.example.com". */
  label: string;
  items: readonly MenuItem[];
}

/** The menu button of the ARIA authoring practices: arrow keys move, Escape closes the menu and returns the focus. */
export function Menu({ label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  const choices = () => [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];

  useEffect(() => {
    if (!isOpen) return undefined;
    choices()[0]?.focus();
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
        class="button button-quiet button-small"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <div class="menu-list" id={menuId} role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={classNames('menu-item', item.isDangerous === true && 'is-dangerous')}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
