import { CopyButton } from './copy-button.js';

export interface Call {
  /** Describes the call: "List the domains". */
  title: string;
  /** The command for a terminal. */
  code: string;
}

export interface CallsProps {
  calls: readonly Call[];
  title?: string;
}

/** Shows the API calls behind a page, to copy. */
export function Calls({ calls, title = 'API calls behind this page' }: CallsProps) {
  return (
    <details class="disclosure calls">
      <summary>{title}</summary>
      <p class="quiet">
        This page uses only the public API, so a program can do everything that the page does. To run these
        calls, set <code>API_KEY</code> to your key.
      </p>
      {calls.map(({ title, code }) => (
        <CodeBlock key={title} title={title} code={code} />
      ))}
    </details>
  );
}

export function CodeBlock({ title, code }: Call) {
  return (
    <figure class="code">
      <figcaption class="code-head">
        <span>{title}</span>
        <CopyButton value={code} what={title} hasWord />
      </figcaption>
      <pre tabIndex={0} aria-label={title}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
