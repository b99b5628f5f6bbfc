/**
 * Content-Security-Policy of the gateway's own pages: no external requests, no inline scripts, no framing. `more` adds
 * or replaces directives.
 */
export function contentSecurityPolicy(more: Readonly<Record<string, string>>): Record<string, string> {
  const directives = {
    'default-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
    ...more,
  };
  const policy = Object.entries(directives).map(([name, sources]) => `${name} ${sources}`);
  return { 'Content-Security-Policy': policy.join('; ') };
}
