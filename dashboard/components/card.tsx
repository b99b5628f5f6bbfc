import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface CardProps {
  title?: string;
  /** One or two sentences below the title. */
  description?: ComponentChildren;
  /** Buttons to the right of the title. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
}

/** A framed section of a page. */
export function Card({ title, description, actions, children }: CardProps) {
  const titleId = useId();
  return (
    <section class="card" aria-labelledby={title === undefined ? undefined : titleId}>
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
