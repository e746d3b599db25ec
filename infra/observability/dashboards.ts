import { LegendDisplayMode, LegendPlacement, VizLegendOptionsBuilder } from '@grafana/grafana-foundation-sdk/common';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { processNames } from '../../packages/platform/src/processes.ts';
import type { Graph, Row } from './graph.ts';
import { overview, particular } from './rows-of-processes.ts';
import {
  calendars,
  messages,
  models,
  outbox,
  overdue,
  providers,
  taskQueues,
  webhooks,
  worker,
} from './rows-of-work.ts';

const datasource = { type: 'prometheus', uid: `\${datasource}` };

/** The dashboards by their file names. */
export const dashboards = (): Readonly<Record<string, Dashboard>> => ({
  'overview.json': dashboard('overview', 'overview', overview),
  ...Object.fromEntries(processNames.map((name) => [`${name}.json`, dashboard(name, name, particular[name])])),
  'queues.json': dashboard('queues', 'queues and waiting work', [overdue, outbox(''), messages, calendars, webhooks]),
  'providers.json': dashboard('providers', 'providers', [providers, models]),
  'temporal.json': dashboard('temporal', 'Temporal', [taskQueues, worker, overdue]),
});

function dashboard(uid: string, title: string, rows: readonly Row[]): Dashboard {
  const builder = new DashboardBuilder(`Mostrador: ${title}`)
    .uid(`mostrador-${uid}`)
    .tags(['mostrador'])
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .timezone('browser')
    .readonly()
    .withVariable(new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'))
    .link(
      new DashboardLinkBuilder('Mostrador').type(DashboardLinkType.Dashboards).tags(['mostrador']).asDropdown(true),
    );
  let nextId = 1;
  for (const { title: rowTitle, graphs, asNumbers } of rows) {
    builder.withRow(new RowBuilder(rowTitle).id(nextId++));
    for (const graph of graphs) builder.withPanel((asNumbers ? numberOf(graph) : graphOf(graph)).id(nextId++));
  }
  return builder.build();
}

const queriesOf = ({ queries }: Graph) =>
  Object.entries(queries).map(([legend, expr]) =>
    new DataqueryBuilder().datasource(datasource).expr(expr).legendFormat(legend),
  );

const graphOf = (graph: Graph) =>
  new TimeseriesBuilder()
    .title(graph.title)
    .datasource(datasource)
    .unit(graph.unit ?? 'short')
    .axisSoftMin(0)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .placement(LegendPlacement.Bottom)
        .displayMode(LegendDisplayMode.List),
    )
    .height(8)
    .span(8)
    .targets(queriesOf(graph));

const numberOf = (graph: Graph) =>
  new StatBuilder()
    .title(graph.title)
    .datasource(datasource)
    .unit(graph.unit ?? 'short')
    .height(4)
    .span(4)
    .targets(queriesOf(graph));

/** Every query of a dashboard. */
export const queriesIn = (each: Dashboard): string[] =>
  (each.panels ?? []).flatMap((panel) =>
    ('targets' in panel ? (panel.targets ?? []) : []).map((target) => (target as unknown as { expr: string }).expr),
  );
