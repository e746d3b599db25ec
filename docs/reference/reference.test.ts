import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { migrateConfig } from '../../packages/kit/src/process/config.ts';
import { eventsConfig } from '../../services/events/src/config.ts';
import { gatewayConfig } from '../../services/gateway/src/config.ts';
import { schedulingConfig } from '../../services/scheduling/src/config.ts';
import { workflowsConfig } from '../../workflows/src/config.ts';
import { referencePages } from './pages.ts';

const docs = resolve(import.meta.dirname, '..');
const root = resolve(docs, '..');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'tests/chaos/README.md'],
  ...readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

test.each(Object.entries(referencePages()))('docs/reference/%s is current with the contracts', (name, text) => {
  expect(readFileSync(join(import.meta.dirname, name), 'utf8')).toBe(text);
});

test.each(pages)('every relative link of %s leads to a file or folder', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link ?? '');
  const dead = links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(page), link)));
  expect(dead).toEqual([]);
});

test('every test file and folder of the guarantees exists', () => {
  const paths = readFileSync(join(docs, 'guarantees.md'), 'utf8').matchAll(/`([\w-]+\/[^`]+)`/g);
  const named = [...paths].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the configuration page has every variable that a process reads', () => {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  const schemas = [gatewayConfig, schedulingConfig, eventsConfig, workflowsConfig, migrateConfig];
  const names = new Set(schemas.flatMap((schema) => Object.keys(schema.properties)));
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
