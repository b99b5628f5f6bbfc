import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface PageProps {
  title: string;
  /** A sentence below the title. */
  description?: ComponentChildren;
  /** Buttons beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The first page is read from its top; with each later one the focus goes to its heading, which says where one is. */
let isFirst = true;

/** The heading of a page with what stands below it. Every page is one of these. */
export function Page({ title, description, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Pets dashboard`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {description !== undefined && <p class="quiet">{description}</p>}
        </div>
        {actions !== undefined && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
