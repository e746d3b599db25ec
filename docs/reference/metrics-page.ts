import { type RuntimeMetric, runtimeMetrics, sections } from '../../infra/observability/catalogue.ts';
import { processNames } from '../../packages/platform/src/processes.ts';

const labelled = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([label, values]) => `\n  - \`${label}\`: ${values}`)
    .join('');

/** `docs/reference/metrics.md`. */
export function metricsPage(note: string): string {
  const ours = sections.map(({ title, processes, metrics }) => {
    const lines = metrics.map(
      ({ name, type, help, labels = {}, once }) =>
        `- \`${name}\` (${type}${once ? ', once' : ''}): ${help}${labelled(labels)}`,
    );
    return `## ${title}\n\nFrom ${processes.length === processNames.length ? 'every process' : processes.join(', ')}.\n\n${lines.join('\n')}`;
  });
  const runtime = runtimeMetrics().map(
    ({ name, type, help, labelNames }: RuntimeMetric) =>
      `- \`${name}\` (${type}${labelNames.map((label) => `, \`${label}\``).join('')}): ${help}`,
  );
  return `# Metrics

${note}

Each process serves its metrics at \`/metrics\` of \`METRICS_PORT\`, in Prometheus' text format: [Watching](../operations/watching.md). Every
metric has the label \`service\`, the name of the process. No label has the id of a store, the name of a person, or an
unlimited number of values.

_Once_: it is about what all processes of a service share, such as the rows of all stores. One process of the service, its
leader, reads it when it is scraped, at most every 4 s, and exports it. The others have no value, so the sum over the
processes is right.

${ours.join('\n\n')}

## Runtime

From every process, by [prom-client](https://github.com/siimon/prom-client).

${runtime.join('\n')}
`;
}
