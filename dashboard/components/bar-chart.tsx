import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { classNames } from './class-names.js';
import { formatCount } from './format-count.js';
import type { Tone } from './notice.js';
import { Table } from './table.js';

export interface Series {
  name: string;
  /** A meaning, or one of the other colours of a chart. */
  tone: Tone | 'first' | 'second' | 'third';
}

export interface Bar {
  /** Below the bar: "22 Nov". Different for each bar. */
  label: string;
  /** One for each series, from the bottom up. */
  values: readonly number[];
  /** Whether the period of the bar is not over. */
  isPartial?: boolean;
}

export interface BarChartProps {
  title: string;
  /** The unit of the values, beside the axis. */
  unit?: string;
  /** The header of the column of labels in the table: "Day". */
  period?: string;
  series: readonly Series[];
  bars: readonly Bar[];
}

const HEIGHT = 180;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 24;
/** Wide enough for a label such as "22 Nov". */
const LABEL_WIDTH = 72;
/** Few steps: bars change their width rarely while a page is open. */
const DRAWN_COUNTS = [7, 15, 30, 60];
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact' });

/**
 * Shows stacked bars, and the same numbers as a table. The legend has the values of the bar below the pointer, or of
 * the bar that the arrow keys chose; otherwise the sums.
 */
export function BarChart({ title, unit = 'requests', period = 'Day', series, bars }: BarChartProps) {
  const titleId = useId();
  const { plot, width } = usePlotWidth();
  const [chosen, setChosen] = useState<number>();
  const drawn = drawnOf(bars);
  const bar = chosen === undefined ? undefined : drawn[chosen];
  const values = bar?.values ?? sumsOf(series, bars);
  const max = niceMax(Math.max(0, ...drawn.map(total)));
  const plotHeight = HEIGHT - TOP - BOTTOM;
  const step = (width - LEFT) / Math.max(drawn.length, 1);
  const labelEvery = Math.ceil(LABEL_WIDTH / step);

  const chooseAt = (event: PointerEvent) => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const at = Math.floor((event.clientX - left - LEFT) / step);
    setChosen(at >= 0 && at < drawn.length ? at : undefined);
  };
  const chooseByKey = (event: KeyboardEvent) => {
    const next = barAfter(event.key, chosen, drawn.length);
    if (next === null) return;
    event.preventDefault();
    setChosen(next);
  };

  return (
    <figure class="chart" aria-labelledby={titleId}>
      <figcaption class="chart-head">
        <span id={titleId}>{title}</span>
        <div class="chart-readout">
          <strong>{bar === undefined ? 'Total' : `${bar.label}${bar.isPartial ? ', so far' : ''}`}</strong>
          <ul class="legend">
            {series.map(({ name, tone }, index) => (
              <li key={name} class={`legend-entry tone-${tone}`}>
                {name} <b>{formatCount(values[index] ?? 0)}</b>
              </li>
            ))}
          </ul>
        </div>
      </figcaption>
      <svg
        ref={plot}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        class="chart-plot"
        tabIndex={0}
        role="slider"
        aria-label={`${title}: choose a bar`}
        aria-valuemin={0}
        aria-valuemax={drawn.length - 1}
        aria-valuenow={chosen ?? drawn.length - 1}
        aria-valuetext={wordsOf(bar ?? drawn.at(-1), series)}
        onPointerMove={chooseAt}
        onPointerDown={chooseAt}
        onPointerLeave={() => setChosen(undefined)}
        onKeyDown={chooseByKey}
        onBlur={() => setChosen(undefined)}
      >
        <text class="chart-text" x={0} y={10}>
          {unit}
          {drawn.length < bars.length && `, none before ${drawn[0]?.label ?? ''}`}
        </text>
        {[0, 0.5, 1].map((share) => {
          const y = TOP + plotHeight * (1 - share);
          return (
            <g key={share}>
              <line class="chart-line" x1={LEFT} x2={width} y1={y} y2={y} />
              <text class="chart-text" x={LEFT - 8} y={y + 4} text-anchor="end">
                {compact.format(max * share)}
              </text>
            </g>
          );
        })}
        {chosen !== undefined && (
          <rect class="chart-chosen" x={LEFT + chosen * step} y={TOP} width={step} height={plotHeight} />
        )}
        {drawn.map((one, at) => {
          const x = LEFT + at * step;
          let y = TOP + plotHeight;
          return (
            <g key={one.label} class={classNames(one.isPartial && 'is-partial')}>
              {series.map(({ name, tone }, index) => {
                const height = ((one.values[index] ?? 0) / max) * plotHeight;
                y -= height;
                return (
                  height > 0 && (
                    <rect
                      key={name}
                      class={`chart-bar tone-${tone}`}
                      x={x + step * 0.15}
                      y={y}
                      width={step * 0.7}
                      height={height}
                    />
                  )
                );
              })}
              {at % labelEvery === 0 && x + LABEL_WIDTH / 2 <= width && (
                <text class="chart-text" x={x + step / 2} y={HEIGHT - 6} text-anchor="middle">
                  {one.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <details class="disclosure">
        <summary>Show as a table</summary>
        <Table
          caption={title}
          rows={bars}
          keyOf={({ label }) => label}
          columns={[
            { header: period, cell: ({ label }) => label },
            ...series.map(({ name }, index) => ({
              header: name,
              isNumber: true,
              cell: ({ values: ofBar }: Bar) => formatCount(ofBar[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

/**
 * Returns the newest bars, from shortly before the first one that is not empty: a new key's chart of months would be one
 * bar at its end. The table has them all.
 */
function drawnOf(bars: readonly Bar[]): readonly Bar[] {
  const first = bars.findIndex((bar) => total(bar) > 0);
  const count = DRAWN_COUNTS.find((one) => one >= bars.length - first) ?? bars.length;
  return first === -1 ? bars : bars.slice(-count);
}

/** Returns the bar that a key chooses; undefined for none, null if the key has no meaning here. */
function barAfter(key: string, chosen: number | undefined, count: number): number | undefined | null {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, (chosen ?? count) - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, (chosen ?? last) + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    case 'Escape':
      return undefined;
    default:
      return null;
  }
}

function wordsOf(bar: Bar | undefined, series: readonly Series[]): string {
  if (bar === undefined) return 'None';
  return `${bar.label}: ${series.map(({ name }, at) => `${formatCount(bar.values[at] ?? 0)} ${name}`).join(', ')}`;
}

/** Returns the available width, so that the chart is not scaled and its text has the normal size. */
function usePlotWidth() {
  const plot = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(720);
  useEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(entry.contentRect.width, 240)),
    );
    if (plot.current !== null) observer.observe(plot.current);
    return () => observer.disconnect();
  }, []);
  return { plot, width };
}

function total({ values }: Bar): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function sumsOf(series: readonly Series[], bars: readonly Bar[]): number[] {
  return series.map((_, at) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

/** Returns the next larger number that is easy to read and to halve on an axis: 10, 20, 30, 40, … */
function niceMax(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(value, 10)));
  return (
    [1, 2, 3, 4, 6, 8, 10].map((factor) => factor * magnitude).find((nice) => nice >= value) ?? 10 * magnitude
  );
}
