import { useLocation } from 'preact-iso/router';
import { Notice } from '../../../components/notice.js';
import { faultsOf } from './system-faults.js';
import type { SystemHealth } from './system-documents.js';

/** Shows the current faults at the top of the page, or that there are none. */
export function FaultNotices({ health }: { health: SystemHealth }) {
  const { path } = useLocation();
  const faults = faultsOf(health, Date.now());
  if (faults.length === 0)
    return (
      <Notice tone="good" title="All systems normal">
        The gateway is ready, no work is overdue, and no certificate is at risk.
      </Notice>
    );
  return (
    <div class="stack" role="group" aria-label="Problems">
      {faults.map(({ tone, title, text, link }) => (
        <Notice key={title} tone={tone} title={title}>
          {text}{' '}
          {link !== undefined && (
            <a
              // The router would only change the address.
              href={link.href.replace(`${path}#`, '#')}
              aria-label={`${link.label}: ${title}`}
            >
              {link.label}
            </a>
          )}
        </Notice>
      ))}
    </div>
  );
}
