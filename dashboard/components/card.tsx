import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Icon } from './icon.js';

export interface CardProps {
  title?: string;
  /** One or two sentences below the title. */
  description?: ComponentChildren;
  /** Buttons to the right of the title. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
  /** For links that lead to the card, which then takes the focus. */
  id?: string;
}

/** A framed section of a page. */
export function Card({ title, description, actions, children, id }: CardProps) {
  const titleId = useId();
  return (
    <section
      id={id}
      tabIndex={id === undefined ? undefined : -1}
      class="card"
      aria-labelledby={title === undefined ? undefined : titleId}
    >
      {title !== undefined && (
        <header class="card-head">
          <div>
            <h2 id={titleId}>{title}</h2>
            {description !== undefined && <p class="quiet">{description}</p>}
          </div>
          {actions !== undefined && <div class="card-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

export interface FoldingCardProps extends Pick<CardProps, 'description' | 'children'> {
  title: string;
  /** By default, it begins closed on a phone, where it would be a screen of its own. */
  isOpen?: boolean;
}

/** A card for what people look up now and then. */
export function FoldingCard({ title, description, children, isOpen }: FoldingCardProps) {
  const titleId = useId();
  const [isDesk] = useState(() => matchMedia('(min-width: 46rem)').matches);
  return (
    <section class="card" aria-labelledby={titleId}>
      <details class="fold" open={isOpen ?? isDesk}>
        <summary>
          <h2 id={titleId}>{title}</h2>
          <Icon name="down" />
        </summary>
        {description !== undefined && <p class="quiet">{description}</p>}
        {children}
      </details>
    </section>
  );
}
