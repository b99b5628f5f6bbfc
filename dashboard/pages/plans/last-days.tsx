import { Card } from '../../components/card.js';
import type { UsageOfProject } from './plan-documents.js';

const count = new Intl.NumberFormat('en-GB');

/** How the project gets along with the plan that it has. */
export function LastDays({ usage: { requests, refused, days } }: { usage: UsageOfProject }) {
  const daysRefused = days.filter((day) => day.refused > 0).length;
  return (
    <Card
      title="The last 30 days"
      description="What the cards say of another plan’s day is about requests that were admitted: those that were refused are often the same one sent again."
    >
      <p>
        The project’s keys sent {count.format(requests)} requests.{' '}
        {refused === 0 ? (
          'None was refused for a quota or a ban.'
        ) : (
          <>
            <strong>{count.format(refused)} were refused</strong> with 429, for a quota or a ban, on{' '}
            {daysRefused} {daysRefused === 1 ? 'day' : 'days'}.
          </>
        )}
      </p>
    </Card>
  );
}
