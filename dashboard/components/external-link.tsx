import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

/** To a site of a project, which opens beside the dashboard and learns nothing of it. */
export function ExternalLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="external" href={href} target="_blank" rel="noreferrer">
      {children}
      <Icon name="external" />
      <span class="visually-hidden"> (opens in a new tab)</span>
    </a>
  );
}
