import { Badge } from '../../components/notice.js';
import { TimeOfDay } from '../../components/time.js';

/** Shows until when a key is banned. */
export function BanBadge({ until }: { until: string }) {
  return (
    <Badge tone="bad">
      <span>
        Banned until <TimeOfDay at={until} />
      </span>
    </Badge>
  );
}
