import { describeQuota } from '../../../src/features/plans/plans.js';
import { BarChart } from '../../components/bar-chart.js';
import { Card } from '../../components/card.js';
import { formatCount } from '../../components/format-count.js';
import { Empty } from '../../components/states.js';
import { TimeOfDay } from '../../components/time.js';
import { Totals } from '../../components/totals.js';
import { addressOf } from '../../shell/addresses.js';
import { STATUS_CLASSES, countByClass } from '../keys/status-classes.js';
import type { ProjectOverview, ProjectUsage } from './overview-documents.js';

export interface ProjectRequestsProps {
  project: ProjectOverview;
  usage: ProjectUsage;
  /** Whether the quota of a key counts requests, which the usage shows up to a minute later. */
  isInUse: boolean;
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Shows the requests of all keys of the project, by day and status. */
export function ProjectRequests({ project, usage, isInUse }: ProjectRequestsProps) {
  const { asOf, requests, refused, bans, days } = usage;
  const today = days.at(-1)?.byStatus.reduce((sum, one) => sum + one.requests, 0) ?? 0;
  return (
    <Card
      title="Requests"
      description={
        <>
          All keys of the project, by UTC day.{' '}
          <span class="live">
            Live, counted up to <TimeOfDay at={asOf} />
          </span>
        </>
      }
    >
      {requests === 0 && (
        <Empty title={isInUse ? 'First requests received' : `No requests in the last ${days.length} days`}>
          Requests with the project’s keys appear here within a minute, with the reasons of rejected requests.{' '}
          {!isInUse && (
            <>
              Create a key on the page <a href={addressOf.keys(project.id)}>Keys and quota</a>: it shows a
              command that sends the first one.
            </>
          )}
        </Empty>
      )}
      {requests > 0 && (
        <>
          <Totals
            totals={[
              { word: 'today', count: today },
              { word: `last ${days.length} days`, count: requests },
              { word: 'rejected (429)', count: refused, of: requests },
              { word: bans === 1 ? 'ban' : 'bans', count: bans },
            ]}
          />
          <BarChart
            title="Requests by day and status"
            period="Day (UTC)"
            series={STATUS_CLASSES}
            bars={days.map(({ date, byStatus }, at) => ({
              label: dayFormat.format(new Date(date)),
              values: countByClass(byStatus),
              isPartial: at === days.length - 1,
            }))}
          />
        </>
      )}
    </Card>
  );
}

/** Returns the limits of the project for people: "60 requests per minute and 1,000 per day". */
export function limitsOf({ plan, customQuota }: ProjectOverview): string {
  return describeQuota(customQuota ?? plan, (limit) => formatCount(limit ?? 0));
}
