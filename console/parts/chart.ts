/** A chart of a few lines over time. */
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { colourIn } from './colour.ts';
import { html } from './html.ts';
import { instant } from './shown.ts';

interface Line {
  readonly name: string;
  /** A custom property of style.css. */
  readonly colour: string;
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Seconds since 1970, and for each line a value at each of them; null: not known. */
  readonly data: readonly [readonly number[], ...(readonly (number | null)[])[]];
  readonly show?: (value: number) => string;
}

const height = 160;

const timeOf = (seconds: number): string => instant(new Date(seconds * 1_000).toISOString());

/** uPlot gives a single point a span of years. */
const around = (at = Date.now() / 1_000): [number, number] => [at - 60, at + 60];

export function Chart({ title, lines, data, show }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    let watch: ResizeObserver | undefined;
    void (async () => {
      const { default: UPlot } = await import('uplot');
      const element = place.current;
      if (gone.signal.aborted || element === null) return;
      const [ink, line] = [colourIn(element, '--dim'), colourIn(element, '--line')];
      const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
      plot.current = new UPlot(
        {
          width: element.clientWidth,
          height,
          legend: { show: false },
          scales: {
            x: { range: ({ data: [times] }, from, to) => (times.length > 1 ? [from, to] : around(times[0])) },
          },
          cursor: { drag: { x: false, y: false } },
          axes: [
            {
              ...axis,
              // Room for each label: that of another day has its date.
              space: (_: unknown, _axis: number, from: number) => 10 * timeOf(from).length,
              values: (_: unknown, seconds: number[]) => seconds.map(timeOf),
            },
            {
              ...axis,
              size: 60,
              ...(show && { values: (_: unknown, values: number[]) => values.map(show) }),
            },
          ],
          series: [
            {},
            ...lines.map(({ name, colour }) => ({
              label: name,
              stroke: colourIn(element, colour),
              width: 2,
            })),
          ],
        },
        data as uPlot.AlignedData,
        element,
      );
      watch = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
      watch.observe(element);
    })();
    return () => {
      gone.abort();
      watch?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => {
    plot.current?.setData(data as uPlot.AlignedData);
  }, [data]);
  const latest = (at: number): string => {
    const value = data[at + 1]?.at(-1) ?? null;
    return value === null ? '–' : show ? show(value) : String(Math.round(value * 100) / 100);
  };
  return html`<figure class="chart">
    <figcaption>
      ${title}
      <span class="legend"
        >${lines.map(({ name, colour }, at) => html`<span><span class=${`dot ${colour.slice(2)}`} />${name} ${latest(at)}</span>`)}</span
      >
    </figcaption>
    <div ref=${place} aria-hidden="true" hidden=${data[0].length < 2} />
  </figure>`;
}
