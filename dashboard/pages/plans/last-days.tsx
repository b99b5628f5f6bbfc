import { formatCount } from '../../components/format-count.js';
import type { UsageOfProject } from './plan-documents.js';

/** Shows the project's use under its current plan. */
export function LastDays({ usage: { requests, refused, days } }: { usage: UsageOfProject }) {
  const daysRefused = days.filter((day) => day.refused > 0).length;
  return (
    <div class="plan-difference">
      <h3>Last 30 days</h3>
      <ul>
        <li>{formatCount(requests)} requests</li>
        <li>
          {refused === 0 ? (
            'None rejected because of a quota or a ban'
          ) : (
            <>
              <strong>{formatCount(refused)} rejected (429)</strong> because of a quota or a ban, on{' '}
              {daysRefused} {daysRefused === 1 ? 'day' : 'days'}
            </>
          )}
        </li>
      </ul>
    </div>
  );
}
