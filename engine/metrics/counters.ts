/** What this process counts where it happens, from its start on: the entries of the list that are `counted`. */
import { Counter, Histogram } from 'prom-client';
import { metrics, type Metric } from './list.ts';

type Counted = typeof metrics.ofWorker;
type Named<Type> = {
  [Name in keyof Counted]: Counted[Name] extends { type: Type; from: 'counted' } ? Name : never;
}[keyof Counted];
type Labels<Name extends keyof Counted> = {
  readonly [
    Label in keyof Counted[Name]['labels']
  ]: Counted[Name]['labels'][Label] extends readonly (infer Value extends string)[] ? Value : never;
};

/** Seconds: a commit of a few rows takes milliseconds; some seconds mean that Postgres does not keep up. */
const buckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Series that have not been counted yet are 0, so that the first count shows as an increase. */
function seriesOf(name: string, { type, help, labels }: Metric<never>): Counter | Histogram {
  const of = { name: `orbweaver_${name}`, help, labelNames: Object.keys(labels), registers: [] };
  if (type === 'histogram') return new Histogram({ ...of, buckets });
  const counter = new Counter(of);
  for (const [label, values] of Object.entries(labels))
    for (const value of values) counter.inc({ [label]: value }, 0);
  return counter;
}

const series = new Map<string, Counter | Histogram>(
  Object.entries(metrics.ofWorker)
    .filter(([, { from }]) => from === 'counted')
    .map(([name, metric]) => [name, seriesOf(name, metric)]),
);

/** The series of a metric that is counted; `scrape.ts` shows them. */
export function countedSeries(name: string): Counter | Histogram {
  const found = series.get(name);
  if (found === undefined) throw new Error(`no metric ${name} is counted`);
  return found;
}

export function count<Name extends Named<'counter'>>(name: Name, labels: Labels<Name>, by = 1): void {
  (countedSeries(name) as Counter).inc(labels, by);
}

export function observe(name: Named<'histogram'>, value: number): void {
  (countedSeries(name) as Histogram).observe(value);
}
