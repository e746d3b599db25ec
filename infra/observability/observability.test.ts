import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { processNames, serviceNames } from '../../packages/platform/src/processes.ts';
import { runtimeMetrics, sections, seriesNames } from './catalogue.ts';
import { dashboards, queriesIn } from './dashboards.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const rules = read('infra/observability/rules/alerts.yaml');
const cases = read('infra/observability/rules/alerts.test.yaml');

/** The alerts of the rules, with the text of each. */
const alerts = [...rules.matchAll(/- alert: (\w+)\n([\s\S]*?)(?=\n {6}- alert|\n {2}- name|$)/g)].map(
  ([, name = '', text = '']) => ({ name, text }),
);
/** Our metrics and those of the runtime that a text names. */
const namedIn = (text: string) =>
  [...text.matchAll(/\b(?:mostrador|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name);

test('the catalogue has every metric that the code defines, once', () => {
  const files = globSync(['packages/kit/src/**/*.ts', 'services/*/src/**/*.ts', 'workflows/src/**/*.ts'], {
    cwd: root,
  });
  const defined = files
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...read(path).matchAll(/name: '(mostrador_\w+)'/g)].map(([, name = '']) => name));
  const ours = sections.flatMap(({ metrics }) => metrics.map(({ name }) => name as string));
  const ofRuntime = runtimeMetrics().map(({ name }) => name);
  expect(defined.length).toBeGreaterThan(40);
  expect(defined.filter((name) => ![...ours, ...ofRuntime].includes(name))).toEqual([]);
  expect([...ours].sort()).toEqual([...new Set(ours)].sort());
});

test('no metric has a label for a store, a person or an address', () => {
  const labels = sections.flatMap(({ metrics }) => metrics.flatMap(({ labels = {} }) => Object.keys(labels)));
  const known = ['method', 'route', 'status', 'code', 'subject', 'outcome', 'queue', 'state', 'dependency', 'variable'];
  const others = ['role', 'rows', 'result', 'provider', 'task_queue', 'kind', 'direction'];
  expect([...new Set(labels)].filter((label) => ![...known, ...others].includes(label))).toEqual([]);
});

test('every metric that an alert, its test or a dashboard names exists', () => {
  const series = seriesNames();
  const queries = Object.values(dashboards()).flatMap(queriesIn);
  expect(queries.length).toBeGreaterThan(100);
  expect(queries.filter((query) => namedIn(query).length === 0 && !/up\{|ALERTS/.test(query))).toEqual([]);
  const named = [...namedIn(rules), ...namedIn(cases), ...queries.flatMap(namedIn)];
  expect([...new Set(named)].filter((name) => !series.has(name))).toEqual([]);
});

test('every alert has a section of its page, a test, and only labels in its text that its query has', () => {
  const page = read('docs/operations/alerts.md');
  const headings = [...page.matchAll(/^### (Mostrador\w+)$/gm)].map(([, name]) => name);
  expect(alerts.length).toBeGreaterThan(30);
  expect(headings).toEqual(alerts.map(({ name }) => name));
  expect([...cases.matchAll(/- name: (\w+)/g)].map(([, name]) => name)).toEqual(headings);
  for (const { name, text } of alerts) {
    expect(text).toContain(`runbook: docs/operations/alerts.md#${name.toLowerCase()}`);
    const grouped = /\bby \(([^)]*)\)/.exec(text)?.[1]?.split(', ') ?? ['instance'];
    const shown = [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    expect(
      shown.filter((label) => !grouped.includes(label)),
      name,
    ).toEqual([]);
  }
});

test.each([
  ['MostradorServiceUnavailable', processNames, 'max by (service) (mostrador_ready) == 0', 'absent(mostrador_ready'],
  ['MostradorNoLeader', serviceNames, 'sum by (service) (mostrador_leader) != 1', '0 * absent(mostrador_leader'],
])('%s also fires for each process that has no series', (name, processes, condition, gone) => {
  const { text = '' } = alerts.find((alert) => alert.name === name) ?? {};
  const expected = [condition, ...processes.map((process) => `or ${gone}{service="${process}"})`)];
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`>- ${expected.join(' ')} for:`);
});

test('every metric of models has a place on a dashboard', () => {
  const shown = Object.values(dashboards()).flatMap(queriesIn).join('\n');
  const models = sections.find(({ title }) => title === 'Models')?.metrics ?? [];
  expect(models).not.toEqual([]);
  const missing = models.filter(({ name }) => !shown.includes(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('the files of the dashboards are current: `npm run dashboards` writes them', () => {
  const written = Object.fromEntries(
    globSync('*.json', { cwd: join(import.meta.dirname, 'dashboards') }).map((name) => [
      name,
      read(`infra/observability/dashboards/${name}`),
    ]),
  );
  const made = Object.entries(dashboards()).map(([name, each]) => [name, `${JSON.stringify(each, null, 2)}\n`]);
  expect(written).toEqual(Object.fromEntries(made));
});

test('the panels of a dashboard have ids of their own', () => {
  for (const [name, { panels = [] }] of Object.entries(dashboards())) {
    const ids = panels.map(({ id }) => id);
    expect(new Set(ids).size, name).toBe(ids.length);
  }
});
