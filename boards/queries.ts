/** Expressions of Prometheus that several boards and alerts ask. */
import { timeCauseNames } from '../domain/time-lost.ts';
import { reasons } from '../domain/waits/reasons.ts';

/** A second, over the time that Grafana finds fit for the length of a scrape and of the graph. */
export const rate = (series: string): string => `rate(${series}[$__rate_interval])`;

/** Of all processes together, by a label if one is named. */
export const perSecond = (series: string, by?: string): string =>
  `sum${by === undefined ? '' : ` by (${by})`} (${rate(series)})`;

/** Share of the first in the second; 0 where nothing happened. */
export const share = (part: string, of: string): string => `(${part}) / (${of} > 0) or vector(0)`;

/** Below which that share of the values of a histogram lies. */
export const quantile = (q: number, histogram: string, by?: string): string =>
  `histogram_quantile(${String(q)}, sum by (le${by === undefined ? '' : `, ${by}`}) (${rate(`${histogram}_bucket`)}))`;

/** Totals of the instance: each process of the API tells the same. */
export const total = (series: string, by?: string): string =>
  `max${by === undefined ? '' : ` by (${by})`} (${series})`;

/** Causes of lost time that are this installation's own: too few places or slots, full stages, faults. */
export const ownCauses = timeCauseNames.filter((cause) => reasons[cause].blame === 'ours').join('|');
