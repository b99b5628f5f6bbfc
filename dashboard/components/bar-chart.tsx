import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { formatCount } from './format-count.js';
import type { Tone } from './notice.js';
import { Table } from './table.js';

export interface Series {
  name: string;
  tone: Tone;
}

export interface Bar {
  /** Below the bar: "22 Nov". */
  label: string;
  /** One for each series, from the bottom up. */
  values: readonly number[];
}

export interface BarChartProps {
  title: string;
  series: readonly Series[];
  bars: readonly Bar[];
}

const HEIGHT = 200;
const LEFT = 48;
const BOTTOM = 24;
const TOP = 8;
/** Wide enough for a label such as "22 Nov". */
const LABEL_WIDTH = 72;

/** Shows stacked bars, and the same numbers as a table. */
export function BarChart({ title, series, bars }: BarChartProps) {
  const titleId = useId();
  const max = niceMax(Math.max(0, ...bars.map(total)));
  const plotHeight = HEIGHT - TOP - BOTTOM;
  const { plot, width } = usePlotWidth();
  const step = (width - LEFT) / Math.max(bars.length, 1);
  const labelEvery = Math.ceil(LABEL_WIDTH / step);
  const heightOf = (value: number) => (value / max) * plotHeight;

  return (
    <figure class="chart" aria-labelledby={titleId}>
      <figcaption class="chart-head">
        <span id={titleId}>{title}</span>
        <ul class="legend">
          {series.map(({ name, tone }) => (
            <li key={name} class={`legend-entry tone-${tone}`}>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <svg ref={plot} viewBox={`0 0 ${width} ${HEIGHT}`} class="chart-plot" aria-hidden="true">
        {[0, 0.5, 1].map((share) => {
          const y = TOP + plotHeight * (1 - share);
          return (
            <g key={share}>
              <line class="chart-line" x1={LEFT} x2={width} y1={y} y2={y} />
              <text class="chart-text" x={LEFT - 8} y={y + 4} text-anchor="end">
                {formatCount(max * share)}
              </text>
            </g>
          );
        })}
        {bars.map((bar, at) => {
          const x = LEFT + at * step;
          let y = TOP + plotHeight;
          return (
            <g key={bar.label}>
              {series.map(({ name, tone }, index) => {
                const height = heightOf(bar.values[index] ?? 0);
                y -= height;
                return (
                  <rect
                    key={name}
                    class={`chart-bar tone-${tone}`}
                    x={x + step * 0.15}
                    y={y}
                    width={step * 0.7}
                    height={height}
                  >
                    <title>{`${bar.label}: ${formatCount(bar.values[index] ?? 0)} ${name}`}</title>
                  </rect>
                );
              })}
              {at % labelEvery === 0 && (
                <text class="chart-text" x={x + step / 2} y={HEIGHT - 6} text-anchor="middle">
                  {bar.label}
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
            { header: 'Day', cell: ({ label }) => label },
            ...series.map(({ name }, index) => ({
              header: name,
              isNumber: true,
              cell: ({ values }: Bar) => formatCount(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
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

/** Returns the next larger number that is easy to read and to halve on an axis: 10, 20, 50, 100, … */
function niceMax(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(value, 10)));
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((nice) => nice >= value) ?? 10 * magnitude;
}
