/**
 * The boards and alerts that are checked in are those of boards/ (`npm test -- test/boards -u` writes them anew), and
 * they ask for series that there are (F42).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { alerts, anchorOf, rulesFile, type Alert } from '../../boards/alerts.ts';
import { dashboardOf } from '../../boards/board.ts';
import { boards } from '../../boards/boards.ts';
import { metrics } from '../../engine/metrics/list.ts';
import type { Metrics } from '../../engine/metrics/metric.ts';

const list: Metrics<never> = {
  ...metrics.ofProcess,
  ...metrics.ofWorker,
  ...metrics.ofApi,
  ...metrics.ofInstance,
};
const rules = Object.entries<Alert>(alerts);
const asked = [
  ...boards.flatMap(({ name, graphs }) =>
    graphs.flatMap(({ title, lines }) =>
      Object.values(lines).map((expr) => [`${name}: ${title}`, expr] as const),
    ),
  ),
  ...rules.map(([name, { expr }]) => [name, expr] as const),
];

describe('what is checked in', () => {
  it.each(boards.map((board) => [board.name, board] as const))('the dashboard %s is', async (name, board) => {
    const json = `${JSON.stringify(dashboardOf(board), null, 2)}\n`;
    await expect(json).toMatchFileSnapshot(`../../boards/grafana/${name}.json`);
  });

  it('the rules are', async () => {
    await expect(rulesFile()).toMatchFileSnapshot('../../boards/prometheus/alerts.yml');
  });
});

it.each(asked)('%s asks for series of the list, by their labels', (_, expr) => {
  for (const [, name = ''] of expr.matchAll(/\borbweaver_(\w+)/g)) {
    const metric = list[name] ?? list[name.replace(/_(bucket|sum|count)$/, '')];
    expect(metric, name).toBeDefined();
  }
  const known = new Set([
    ...Object.values(list).flatMap(({ labels }) => Object.keys(labels)),
    // Of Prometheus, of the scrape file, and of Temporal's SDK.
    ...['le', 'job', 'instance', 'process', 'offset'],
    ...['workflow_type', 'activity_type', 'task_queue', 'worker_type', 'operation', 'failure_reason'],
  ]);
  const used = [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', ')),
    ...[...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label),
  ];
  expect(used.filter((label) => !known.has(label))).toEqual([]);
});

it.each(rules)('%s leads to a section that says the cure', (_, { cure }) => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const headings = [...page.matchAll(/^##+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  expect(headings.filter((heading) => heading === anchorOf(cure))).toEqual([anchorOf(cure)]);
});
