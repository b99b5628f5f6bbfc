import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

/**
 * A link to a project's site. It opens in a new tab, without a referrer and without access to the dashboard's window.
 */
export function ExternalLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="external" href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon name="external" />
      <span class="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}
