import type { ApiInterface, TrafficPeriod, TrafficSource } from '../../../api/schema-types.js';
import type { Bar, Series } from '../../../components/bar-chart.js';
import { INTERFACE_WORDS } from '../../keys/key-words.js';
import { STATUS_CLASSES } from '../../keys/status-classes.js';
import type { PeriodTraffic } from './gateway-documents.js';

/** The time span of the charts: periods of one length, up to the current one. */
export interface Span {
  by: TrafficPeriod;
  last: number;
  /** "Minute" */
  period: string;
  words: string;
  pollMs: number;
}

export const SPAN_NAMES = { hour: 'Hour', day: '24 hours', month: '30 days' } as const;
export type SpanName = keyof typeof SPAN_NAMES;

/** The gateway counts up to a few seconds ago, so the last hour moves by itself. */
export const SPANS: Record<SpanName, Span> = {
  hour: { by: 'minute', last: 60, period: 'Minute', words: 'last hour', pollMs: 5_000 },
  day: { by: 'hour', last: 24, period: 'Hour', words: 'last 24 hours', pollMs: 15_000 },
  month: { by: 'day', last: 30, period: 'Day (UTC)', words: 'last 30 days', pollMs: 30_000 },
};

export const SPLIT_NAMES = { status: 'Status', interface: 'Interface', source: 'Plan' } as const;
export type SplitName = keyof typeof SPLIT_NAMES;

export const SOURCE_WORDS: Record<TrafficSource, string> = {
  free: 'Free',
  pro: 'Pro',
  business: 'Business',
  enterprise: 'Enterprise',
  admin: 'Admin keys',
  unauthenticated: 'No valid key',
};

const SOURCES: readonly (Series & { source: TrafficSource })[] = [
  { source: 'free', name: SOURCE_WORDS.free, tone: 'info' },
  { source: 'pro', name: SOURCE_WORDS.pro, tone: 'good' },
  { source: 'business', name: SOURCE_WORDS.business, tone: 'first' },
  { source: 'enterprise', name: SOURCE_WORDS.enterprise, tone: 'second' },
  { source: 'admin', name: SOURCE_WORDS.admin, tone: 'third' },
  { source: 'unauthenticated', name: SOURCE_WORDS.unauthenticated, tone: 'neutral' },
];
const INTERFACES: readonly (Series & { interface: ApiInterface })[] = [
  { interface: 'rest', name: INTERFACE_WORDS.rest, tone: 'info' },
  { interface: 'graphql', name: INTERFACE_WORDS.graphql, tone: 'second' },
];

export const SERIES: Record<SplitName, readonly Series[]> = {
  status: STATUS_CLASSES,
  interface: INTERFACES,
  source: SOURCES,
};

/** In the reader's time zone; days are UTC days. */
const FORMATS: Record<TrafficPeriod, Intl.DateTimeFormat> = {
  minute: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }),
  hour: new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
};

/** Returns the bars of a chart that splits the requests of each period. */
export function barsOf(periods: readonly PeriodTraffic[], by: TrafficPeriod, split: SplitName): Bar[] {
  return periods.map((period, at) => ({
    label: FORMATS[by].format(new Date(period.start)),
    values: valuesOf(period, split),
    isPartial: at === periods.length - 1,
  }));
}

function valuesOf({ groups, ...counts }: PeriodTraffic, split: SplitName): number[] {
  const { requests, clientErrors, refused, serverErrors } = counts;
  const sum = (matches: (group: (typeof groups)[number]) => boolean) =>
    groups.reduce((total, group) => total + (matches(group) ? group.requests : 0), 0);
  switch (split) {
    case 'status':
      return [requests - clientErrors - refused - serverErrors, clientErrors, refused, serverErrors];
    case 'interface':
      return INTERFACES.map((series) => sum((group) => group.interface === series.interface));
    case 'source':
      return SOURCES.map(({ source }) => sum((group) => group.source === source));
  }
}
