/**
 * A board as a value, and the dashboard that Grafana makes of it. Whoever imports a dashboard chooses the Prometheus that
 * it asks (the variable `datasource`).
 */
import type { Dashboard, Panel } from '@grafana/schema';

type Unit = 'short' | 'reqps' | 'ops' | 's' | 'bytes' | 'percentunit';

interface Graph {
  readonly title: string;
  readonly unit: Unit;
  /** Expressions by the legends of their lines; `{{label}}` stands for the value of a label. */
  readonly lines: Readonly<Record<string, string>>;
  /** For people who look at it in trouble. */
  readonly help?: string;
  /** The last value alone, red from this value on. */
  readonly redFrom?: number;
}

export const graph = (
  title: string,
  unit: Unit,
  lines: Graph['lines'],
  more: Pick<Graph, 'help' | 'redFrom'> = {},
): Graph => ({ title, unit, lines, ...more });

export interface Board {
  /** Names its file, and it in the addresses of Grafana. */
  readonly name: string;
  readonly title: string;
  /** Markdown, above the graphs. */
  readonly text: string;
  readonly graphs: readonly Graph[];
}

/** Grafana's grid has 24 columns. */
const columns = 24;
const size = { w: 8, h: 8 };
const textHeight = 3;
const datasource = { type: 'prometheus', uid: '${datasource}' };

const panelOf = ({ title, unit, lines, help, redFrom }: Graph, at: number): Panel => {
  const perRow = columns / size.w;
  const place = { x: (at % perRow) * size.w, y: textHeight + Math.floor(at / perRow) * size.h };
  return {
    id: at + 2,
    title,
    type: redFrom === undefined ? 'timeseries' : 'stat',
    gridPos: { ...place, ...size },
    datasource,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(redFrom !== undefined && {
          thresholds: {
            mode: 'absolute' as never,
            steps: [
              { color: 'green', value: null },
              { color: 'red', value: redFrom },
            ],
          },
        }),
      },
      overrides: [],
    },
    targets: Object.entries(lines).map(([legendFormat, expr], line) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + line),
      expr,
      legendFormat,
    })),
    ...(help !== undefined && { description: help }),
  };
};

export const dashboardOf = ({ name, title, text, graphs }: Board): Dashboard => ({
  uid: `orbweaver-${name}`,
  title,
  tags: ['orbweaver'],
  // Version of this form of a dashboard, which Grafana brings up to its own.
  schemaVersion: 39,
  editable: true,
  refresh: '30s',
  time: { from: 'now-3h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }],
  },
  links: [],
  panels: [
    {
      id: 1,
      type: 'text',
      gridPos: { x: 0, y: 0, w: columns, h: textHeight },
      options: { mode: 'markdown', content: text },
    },
    ...graphs.map(panelOf),
  ],
});
