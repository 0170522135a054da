/** Each alert fires when it should, and is silent when it should be (`promtool test rules`, F42). */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { rulesFile, type alerts } from '../../boards/alerts.ts';
import { promtool } from '../support/promtool.ts';

/** Series by their values, one a minute as Prometheus writes them: `0x9 1+0x50` is ten times 0, then 1 for long. */
type Series = Readonly<Record<string, string>>;
/** What there is when it fires, and what is like it when it does not. Both are looked at after an hour. */
const worlds: Readonly<Record<keyof typeof alerts, { readonly fires: Series; readonly silent: Series }>> = {
  RequestTooSoon: {
    fires: { 'orbweaver_requests_early_total{process="worker"}': '0x50 1x20' },
    silent: { 'orbweaver_requests_early_total{process="worker"}': '0x70' },
  },
  LedgerImbalance: {
    fires: { orbweaver_ledger_imbalance_urls: '0x30 2 0x40' },
    silent: { orbweaver_ledger_imbalance_urls: '0x70' },
  },
  NonDeterminism: {
    // The series comes with the first error.
    fires: {
      'temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError"}': '_x52 1x20',
    },
    // An old one, and errors of another kind.
    silent: {
      'temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError"}': '1x70',
      'temporal_workflow_task_execution_failed_total{failure_reason="WorkflowError"}': '0+1x70',
    },
  },
  NoWorker: {
    fires: { 'orbweaver_requests_total{class="2xx"}': '0+9x30' },
    silent: { 'orbweaver_requests_total{class="2xx"}': '0+9x70' },
  },
  NoApi: {
    fires: { 'orbweaver_crawls{state="running"}': '1x30' },
    silent: { 'orbweaver_crawls{state="running"}': '0x70' },
  },
  WorkerGone: {
    fires: { 'up{job="orbweaver",process="worker"}': '1x50 0x20' },
    // A moment, as when it starts anew; and what is not ours.
    silent: { 'up{job="orbweaver",process="worker"}': '1x57 0x1 1x20', 'up{job="node"}': '0x70' },
  },
  RoleWithoutWorker: {
    fires: { 'orbweaver_workers{role="extract"}': '1x50 0x20' },
    silent: { 'orbweaver_workers{role="extract"}': '1x70', 'orbweaver_workers{role="render"}': '0x70' },
  },
  ShardWithoutWorker: {
    fires: {
      'orbweaver_shard_silent_seconds{shard="0"}': '0x70',
      'orbweaver_shard_silent_seconds{shard="1"}': '0x50 0+60x20',
    },
    silent: { 'orbweaver_shard_silent_seconds{shard="1"}': '6x70' },
  },
  ComplaintsRising: {
    fires: { orbweaver_complaints_total: '4x30 8x40' },
    silent: { orbweaver_complaints_total: '4x30 5x40' },
  },
  HostsOverloaded: {
    fires: {
      'orbweaver_overload_answers_total{status="429"}': '0+6x70',
      'orbweaver_requests_total{class="2xx"}': '0+94x70',
      'orbweaver_requests_total{class="4xx"}': '0+6x70',
    },
    silent: {
      'orbweaver_overload_answers_total{status="429"}': '0+4x70',
      'orbweaver_requests_total{class="2xx"}': '0+96x70',
      'orbweaver_requests_total{class="4xx"}': '0+4x70',
    },
  },
  ThroughputHalved: {
    fires: {
      'orbweaver_host_time_seconds_total{cause="slot"}': '0+60x70',
      'orbweaver_host_time_seconds_total{cause="delay"}': '0+40x70',
    },
    // Hosts that are slow, or ask for time.
    silent: {
      'orbweaver_host_time_seconds_total{cause="slot"}': '0+40x70',
      'orbweaver_host_time_seconds_total{cause="retry_after"}': '0+60x70',
    },
  },
  BacklogOld: {
    fires: { orbweaver_oldest_body_seconds: '0x30 0+60x40' },
    silent: { orbweaver_oldest_body_seconds: '600x70' },
  },
  WebhookLate: {
    fires: { orbweaver_webhook_lag_seconds: '4000x70' },
    silent: { orbweaver_webhook_lag_seconds: '3000x70' },
  },
  DiskSoonFull: {
    // A gigabyte in a minute: full within two hours.
    fires: { orbweaver_disk_free_bytes: '200000000000-1000000000x70' },
    silent: { orbweaver_disk_free_bytes: '200000000000-1000000x70' },
  },
  OptOutSlow: {
    fires: {
      'orbweaver_opt_out_duration_seconds_bucket{le="20"}': '0x70',
      'orbweaver_opt_out_duration_seconds_bucket{le="30"}': '0x40 1x30',
      'orbweaver_opt_out_duration_seconds_bucket{le="+Inf"}': '0x40 1x30',
    },
    silent: {
      'orbweaver_opt_out_duration_seconds_bucket{le="5"}': '0x40 1x30',
      'orbweaver_opt_out_duration_seconds_bucket{le="20"}': '0x40 1x30',
      'orbweaver_opt_out_duration_seconds_bucket{le="+Inf"}': '0x40 1x30',
    },
  },
  KeySoonOver: {
    fires: { orbweaver_api_key_expiry_seconds: '500000x70' },
    silent: { orbweaver_api_key_expiry_seconds: '5000000x70' },
  },
  // The clock of these tests begins in 1970.
  CertificateSoonOver: {
    fires: { 'probe_ssl_earliest_cert_expiry{instance="https://crawler.example"}': '1000000x70' },
    silent: { 'probe_ssl_earliest_cert_expiry{instance="https://crawler.example"}': '9000000x70' },
  },
  FiguresMissing: {
    fires: { 'orbweaver_metrics_failures_total{group="lags"}': '0x20 0+1x50' },
    // Once, and not again.
    silent: { 'orbweaver_metrics_failures_total{group="lags"}': '0x40 1x30' },
  },
  BackupTooOld: {
    fires: { orbweaver_backup_age_seconds: '200000x70' },
    silent: { orbweaver_backup_age_seconds: '80000x70' },
  },
};

/** In every world but those that are about it, so that nobody misses the processes. */
const alive: Series = {
  'orbweaver_requests_total{class="2xx",process="other"}': '0x70',
  'orbweaver_crawls{state="paused"}': '0x70',
};

it.skipIf(promtool === null)('each fires and is silent in its time (needs promtool)', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-alerts-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(path.join(folder, 'alerts.yml'), rulesFile());
  const test = (name: string, series: Series, fires: boolean): object => {
    const missesNobody = name !== 'NoWorker' && name !== 'NoApi';
    const given = { ...(missesNobody && alive), ...series };
    return {
      name: `${name} ${fires ? 'fires' : 'is silent'}`,
      interval: '1m',
      input_series: Object.entries(given).map(([of, values]) => ({ series: of, values })),
      // Counted: labels and words of what fires are those of the rule.
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="Orbweaver${name}",alertstate="firing"}) > 0`,
          eval_time: '60m',
          exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
        },
      ],
    };
  };
  const tests = Object.entries(worlds).flatMap(([name, { fires, silent }]) => [
    test(name, fires, true),
    test(name, silent, false),
  ]);
  const file = path.join(folder, 'tests.yml');
  writeFileSync(file, stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  expect(stdout + stderr).toMatch(/SUCCESS/);
  expect(status).toBe(0);
});
