import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { taskQueues } from '../packages/contracts/src/workflows.ts';
import { portsOf, reads, variablesOf } from '../packages/platform/src/environment.ts';
import {
  memoryLimitMiB,
  type ProcessName,
  processes,
  processNames,
  serviceNames,
} from '../packages/platform/src/processes.ts';

// Where a page lists processes, it lists those that there are. The lists come from the description of the platform.
const root = resolve(import.meta.dirname, '..');
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const below = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  ...below('docs/operations'),
  ...below('docs/reference'),
];

/** Three or more names of processes with nothing but commas, spaces, backticks and `and` between them. */
const name = `\`?(?:${processNames.join('|')})\`?`;
const list = new RegExp(`(?<![\\w-])${name}(?:(?:,| and|, and)(?:[ \\n]|<br/>)${name}){2,}(?![\\w-])`, 'g');
const key = (names: readonly string[]): string => [...names].sort().join(' ');

/** The processes that have something in common: a variable, a kind, a server. Each set also without the gateway. */
const variables = new Set(processNames.flatMap((each) => variablesOf(each).map((variable) => variable.name)));
const sets: readonly (readonly string[])[] = [
  processNames,
  serviceNames,
  ...[...variables].map((variable) => processNames.filter((each) => reads(each, variable))),
  // What has rooms: CONTRIBUTING.md.
  ['gateway', 'messaging', 'events'],
  // What publishes events: accounts publishes none, and events takes them.
  serviceNames.filter((each) => each !== 'accounts' && each !== 'events'),
  // What has totals of lists.
  serviceNames.filter((each) => each !== 'accounts' && each !== 'assistant'),
];
const known = new Set(
  sets.flatMap((set) => [key(set), ...(set.length > 3 ? [key(set.filter((each) => each !== 'gateway'))] : [])]),
);

test.each(pages)('a list of processes in %s leaves none out', (page) => {
  const lists = textOf(page).match(list) ?? [];
  const namesIn = (text: string) => text.match(new RegExp(processNames.join('|'), 'g')) ?? [];
  expect(lists.filter((text) => !known.has(key(namesIn(text))))).toEqual([]);
});

test.each(['docs/operations/images.md', 'docs/operations/systemd.md'])('%s has the port of each process', (page) => {
  const [gateway, ...others] = processNames;
  expect(textOf(page)).toMatch(new RegExp(`${gateway}.*${portOf(gateway as ProcessName)}`));
  for (const each of others) expect(textOf(page)).toContain(`${each} ${portOf(each)}`);
});
const portOf = (each: ProcessName) => processes[each].listener.number;

test('images.md says how far the port for metrics is from the other one', () => {
  for (const each of processNames) {
    const [own, metrics] = portsOf(each).map(({ number }) => number);
    expect(metrics).toBe(Number(own) + 1000);
  }
  expect(textOf('docs/operations/images.md')).toContain('1000 more than');
});

test('images.md has a size for each image', () => {
  const rows = [...textOf('docs/operations/images.md').matchAll(/^\| `(\w+)` +\| \d+ +\|/gm)].map(([, image]) => image);
  expect(rows).toEqual([...processNames, 'admin']);
});

test('the pages and the chart have the limit of memory that compose and systemd have', () => {
  const gibibytes = `${memoryLimitMiB / 1024} GiB`;
  for (const page of ['docs/operations/images.md', 'docs/operations/scaling.md', 'docs/operations/systemd.md'])
    expect(textOf(page)).toContain(gibibytes);
  expect(textOf('infra/helm/mostrador/values.yaml')).toContain(`limits: { memory: ${memoryLimitMiB}Mi }`);
});

test('alerts.md says what waits while a task queue has no worker', () => {
  const [, dead = ''] = /^### MostradorWorkerDead\n(.*?)^### /ms.exec(textOf('docs/operations/alerts.md')) ?? [];
  expect(taskQueues.filter((queue) => !dead.includes(`\`${queue}\``))).toEqual([]);
});

test('helm.md lists the Secret of each process, and values.yaml each process', () => {
  const page = textOf('docs/operations/helm.md');
  for (const each of processNames) expect(page).toMatch(new RegExp(`\`(mostrador)?-${each}\``));
  expect(textOf('infra/helm/mostrador/values.yaml')).toContain(`by process: ${processNames.join(', ')}.`);
});
