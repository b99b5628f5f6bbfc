import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.js';
import { classNames } from '../components/class-names.js';

export interface FiltersProps {
  /** What is filtered, for screen readers. */
  label: string;
  /** How many filters are set. */
  count: number;
  children: ComponentChildren;
}

/** The filters above a list. A phone shows the first one, and a button that shows the others. */
export function Filters({ label, count, children }: FiltersProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class={classNames('filters', isOpen && 'is-open')} role="search" aria-label={label}>
      {children}
      <div class="filters-toggle">
        <Button isSmall isExpanded={isOpen} onPress={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : count === 0 ? 'More filters' : `More filters (${count} set)`}
        </Button>
      </div>
    </div>
  );
}
