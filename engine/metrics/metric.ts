/**
 * A metric, in one form: its name after `orbweaver_`, its type, a sentence for people, the values of its label, and where
 * its figures come from. `counted`: a room of this process counts where the thing happens (counters.ts). A function: the
 * figures are read at a scrape; it gives one number, or one for each value of the label.
 *
 * Names and units are those that Prometheus asks for: base units, `_total` for counters. Values of labels come from
 * lists in the code: no host, URL or tenant makes a series.
 */
interface Told<Now> {
  readonly help: string;
  /** The name of its label, if it has one, and the values. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly from: 'counted' | ((now: Now) => number | Readonly<Record<string, number>>);
}
export type Metric<Now> =
  | (Told<Now> & { readonly type: 'counter' | 'gauge' })
  | (Told<Now> & {
      readonly type: 'histogram';
      readonly from: 'counted';
      readonly buckets: readonly number[];
    });
export type Metrics<Now> = Readonly<Record<string, Metric<Now>>>;

/** Where each group of figures is read from: what a metric's `from` takes, and what fails by itself. */
export type Sources<Now> = { readonly [Group in keyof Now]: () => Now[Group] | Promise<Now[Group]> };

/** Groups that Postgres tells of the whole instance: a statement each. */
export const instanceGroups = [
  'hosts',
  'letters',
  'queues',
  'recount',
  'measures',
  'shards',
  'lags',
  'database',
  'workers',
  'loads',
  'outages',
  'backup',
  'politeness',
] as const;

export const none = {} as const;

/** Buckets: a commit of a few rows takes milliseconds; some seconds mean that Postgres does not keep up. */
export const seconds = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10] as const;

export const each = <Name extends string>(names: readonly Name[], figure: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, figure(name)]));
