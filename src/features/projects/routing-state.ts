import type { AuditState } from '../audit/audit-record.js';
import type { Redirect } from './redirects.js';

/** Where a project's visitors are led. */
export interface Routing {
  primaryDomain?: string | undefined;
  redirects?: readonly Redirect[] | undefined;
}

/** For the audit log; null means the platform host, and no redirects. */
export function routingStateOf({ primaryDomain, redirects = [] }: Routing): AuditState {
  const lines = redirects.map((redirect) => `${arrowOf(redirect)} ${redirect.status}`);
  return { primaryDomain: primaryDomain ?? null, redirects: lines.join(', ') || null };
}

/** `www.example.com → example.com` */
export function arrowOf({ from, to }: Redirect): string {
  return `${from} → ${to}`;
}
