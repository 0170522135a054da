/**
 * Alerts as values, and the file of rules that Prometheus makes of them. Series vanish with the last process that has
 * them, and a comparison with what is not there is silent: `NoWorker` and `NoApi` call for that.
 */
import { stringify } from 'yaml';
import { ownCauses, perSecond } from './queries.ts';

export interface Alert {
  readonly expr: string;
  /** How long it has to hold. */
  readonly for?: string;
  /** `page`: somebody is called at once. `ticket`: somebody looks on the next day. */
  readonly severity: 'page' | 'ticket';
  /** A sentence; `{{ $labels.… }}` and `{{ $value }}` are Prometheus's. */
  readonly summary: string;
  /** The heading of docs/operations.md that says the cure. */
  readonly cure: string;
}

/** Over a fixed time, unlike on a board. */
const over = (time: string, expr: string): string => expr.replaceAll('$__rate_interval', time);
const hostTime = 'orbweaver_host_time_seconds_total';

export const alerts = {
  RequestTooSoon: {
    expr: 'sum(increase(orbweaver_requests_early_total[15m])) > 0',
    severity: 'page',
    summary: 'A request left before the delay of its host was over.',
    cure: 'A request left too soon',
  },
  LedgerImbalance: {
    expr: 'max(max_over_time(orbweaver_ledger_imbalance_urls[1h])) > 0',
    severity: 'page',
    summary: 'Counters differ from their URLs by {{ $value }}.',
    cure: 'The ledger does not add up',
  },
  NonDeterminism: {
    expr: 'sum(temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError"}) > (sum(temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError"} offset 15m) or vector(0))',
    severity: 'page',
    summary: 'The code would have workflows go another way than they went.',
    cure: 'Workflows fail on replay',
  },
  NoWorker: {
    expr: 'absent(orbweaver_requests_total)',
    for: '2m',
    severity: 'page',
    summary: 'No worker tells anything: the last one is gone, or nobody scrapes it.',
    cure: 'A worker or the API is gone',
  },
  NoApi: {
    expr: 'absent(orbweaver_crawls)',
    for: '2m',
    severity: 'page',
    summary: 'No API tells the totals: the last one is gone, Postgres is, or the key was revoked.',
    cure: 'A worker or the API is gone',
  },
  WorkerGone: {
    expr: 'up{job=~"orbweaver.*"} == 0',
    for: '5m',
    severity: 'ticket',
    summary: '{{ $labels.process }} at {{ $labels.instance }} does not answer.',
    cure: 'A worker or the API is gone',
  },
  RoleWithoutWorker: {
    expr: 'max by (role) (orbweaver_workers{role=~"control|fetch|extract"}) == 0',
    for: '2m',
    severity: 'page',
    summary: 'No worker has the role {{ $labels.role }}.',
    cure: 'A worker or the API is gone',
  },
  ShardWithoutWorker: {
    expr: 'max by (shard) (orbweaver_shard_silent_seconds) > 120',
    for: '2m',
    severity: 'page',
    summary: 'Nobody has looked for hosts of shard {{ $labels.shard }} for two minutes.',
    cure: 'A shard is not scheduled',
  },
  ComplaintsRising: {
    expr: 'max(increase(orbweaver_complaints_total[1d])) > 2',
    severity: 'ticket',
    summary: 'More than two complaints came within a day.',
    cure: 'Somebody complains',
  },
  HostsOverloaded: {
    expr: over(
      '15m',
      `${perSecond('orbweaver_overload_answers_total')} / ${perSecond('orbweaver_requests_total')} > 0.05`,
    ),
    for: '15m',
    severity: 'ticket',
    summary: 'Of all answers {{ $value | humanizePercentage }} are 429 or 503.',
    cure: 'Many answers are 429 or 503',
  },
  ThroughputHalved: {
    expr: over('15m', `${perSecond(`${hostTime}{cause=~"${ownCauses}"}`)} / ${perSecond(hostTime)} > 0.5`),
    for: '15m',
    severity: 'ticket',
    summary:
      'Hosts could take more than twice as much: {{ $value | humanizePercentage }} of their time is lost here.',
    cure: 'Less than half of what hosts permit',
  },
  BacklogOld: {
    expr: 'max(orbweaver_oldest_body_seconds) > 900',
    for: '5m',
    severity: 'ticket',
    summary: 'A fetched page has waited {{ $value | humanizeDuration }} to be read.',
    cure: 'What is fetched or sent lags behind',
  },
  WebhookLate: {
    expr: 'max(orbweaver_webhook_lag_seconds) > 3600',
    for: '5m',
    severity: 'ticket',
    summary: 'An event has waited {{ $value | humanizeDuration }} for its webhook.',
    cure: 'What is fetched or sent lags behind',
  },
  DiskSoonFull: {
    expr: 'min(orbweaver_disk_free_bytes) < 2e9 or min(predict_linear(orbweaver_disk_free_bytes[2h], 6 * 3600)) < 0',
    for: '10m',
    severity: 'page',
    summary: 'The disk of the bodies is full, or will be within six hours.',
    cure: 'The disk is soon full',
  },
  OptOutSlow: {
    expr: 'histogram_quantile(0.99, sum by (le) (increase(orbweaver_opt_out_duration_seconds_bucket[1h]))) > 20',
    severity: 'ticket',
    summary: 'An opt-out took longer than twenty seconds.',
    cure: 'An opt-out takes long',
  },
  KeySoonOver: {
    expr: 'min(orbweaver_api_key_expiry_seconds) < 7 * 86400',
    severity: 'ticket',
    summary: 'An API key expires within {{ $value | humanizeDuration }}.',
    cure: 'A key or a certificate is soon over',
  },
  CertificateSoonOver: {
    expr: 'min by (instance) (probe_ssl_earliest_cert_expiry) - time() < 14 * 86400',
    severity: 'ticket',
    summary: 'The certificate of {{ $labels.instance }} expires within {{ $value | humanizeDuration }}.',
    cure: 'A key or a certificate is soon over',
  },
  FiguresMissing: {
    expr: 'sum by (group) (increase(orbweaver_metrics_failures_total[15m])) > 0',
    for: '15m',
    severity: 'ticket',
    summary: 'Figures cannot be read ({{ $labels.group }}): graphs and alerts that need them are silent.',
    cure: 'Figures are missing',
  },
  BackupTooOld: {
    expr: 'max(orbweaver_backup_age_seconds) > 2 * 86400',
    severity: 'page',
    summary: 'The last backup is {{ $value | humanizeDuration }} old.',
    cure: 'The backup is too old',
  },
} as const satisfies Readonly<Record<string, Alert>>;

/** As GitHub and most others make the anchor of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

export const rulesFile = (): string => {
  const rules = Object.entries<Alert>(alerts).map(
    ([name, { expr, for: lasts, severity, summary, cure }]) => ({
      alert: `Orbweaver${name}`,
      expr,
      ...(lasts !== undefined && { for: lasts }),
      labels: { severity },
      annotations: { summary, runbook: `docs/operations.md#${anchorOf(cure)}` },
    }),
  );
  return stringify({ groups: [{ name: 'orbweaver', rules }] }, { lineWidth: 0 });
};
