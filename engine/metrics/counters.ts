/** What this process counts where it happens, from its start on: the entries of the list that are `counted`. */
import { Counter, Gauge, Histogram } from 'prom-client';
import { metrics } from './list.ts';
import type { Metric } from './metric.ts';

type Counted = typeof metrics.ofProcess & typeof metrics.ofWorker & typeof metrics.ofApi;
type Named<Type> = {
  [Name in keyof Counted]: Counted[Name] extends { type: Type; from: 'counted' } ? Name : never;
}[keyof Counted];
type Labels<Name extends keyof Counted> = {
  readonly [
    Label in keyof Counted[Name]['labels']
  ]: Counted[Name]['labels'][Label] extends readonly (infer Value extends string)[] ? Value : never;
};

/** Series that have not been counted yet are 0, so that the first count shows as an increase; the least is infinite. */
function seriesOf(name: string, metric: Metric<never>): Counter | Gauge | Histogram {
  const { type, help, labels } = metric;
  const of = { name: `orbweaver_${name}`, help, labelNames: Object.keys(labels), registers: [] };
  if (type === 'histogram') return new Histogram({ ...of, buckets: [...metric.buckets] });
  if (type === 'gauge' && of.labelNames.length === 0) {
    const least = new Gauge(of);
    least.set(Infinity);
    return least;
  }
  const series = type === 'gauge' ? new Gauge(of) : new Counter(of);
  for (const [label, values] of Object.entries(labels))
    for (const value of values) series.inc({ [label]: value }, 0);
  return series;
}

const series = new Map<string, Counter | Gauge | Histogram>(
  Object.entries<Metric<never>>({ ...metrics.ofProcess, ...metrics.ofWorker, ...metrics.ofApi })
    .filter(([, { from }]) => from === 'counted')
    .map(([name, metric]) => [name, seriesOf(name, metric)]),
);
const leasts = new Map<string, number>();

/** The series of a metric that is counted; `scrape.ts` shows them. */
export function countedSeries(name: string): Counter | Gauge | Histogram {
  const found = series.get(name);
  if (found === undefined) throw new Error(`no metric ${name} is counted`);
  return found;
}

export function count<Name extends Named<'counter'>>(name: Name, labels: Labels<Name>, by = 1): void {
  (countedSeries(name) as Counter).inc(labels, by);
}

/** A group of figures that a scrape of this process lacks. */
export function countFailure(group: string): void {
  (countedSeries('metrics_failures_total') as Counter).inc({ group });
}

export function observe(name: Named<'histogram'>, value: number): void {
  (countedSeries(name) as Histogram).observe(value);
}

/** Of a gauge with labels: how it stands now. */
export function note<Name extends Named<'gauge'>>(name: Name, labels: Labels<Name>, value: number): void {
  (countedSeries(name) as Gauge).set(labels, value);
}

/** Of a gauge without labels: keeps the least value since the process started. */
export function noteLeast(name: Named<'gauge'>, value: number): void {
  if (value >= (leasts.get(name) ?? Infinity)) return;
  leasts.set(name, value);
  (countedSeries(name) as Gauge).set(value);
}
