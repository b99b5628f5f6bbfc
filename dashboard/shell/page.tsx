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

/**
 * Screen readers read the first page from its top. On later pages the heading takes the focus, so that they announce
 * the page.
 */
let isFirst = true;

/** A page: its heading and its content. Every page uses it. */
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
            <bdi>{title}</bdi>
          </h1>
          {description !== undefined && <p class="quiet">{description}</p>}
        </div>
        {actions !== undefined && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
