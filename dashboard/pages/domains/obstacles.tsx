import { Notice } from '../../components/notice.js';
import { withCode } from '../../components/with-code.js';

/** What `domains add` reports at the command line. Verify then checks the same records again, and more. */
export function Obstacles({ obstacles }: { obstacles: readonly string[] }) {
  if (obstacles.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title="According to the settings of the gateway and the current DNS records, these problems remain:"
    >
      <ul class="stack">
        {obstacles.map((obstacle) => (
          <li key={obstacle}>{withCode(obstacle)}</li>
        ))}
      </ul>
    </Notice>
  );
}
