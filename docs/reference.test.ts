import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { migrateConfig } from '../packages/kit/src/process/config.ts';
import { gatewayConfig } from '../services/gateway/src/config.ts';
import { schedulingConfig } from '../services/scheduling/src/config.ts';
import { workflowsConfig } from '../workflows/src/config.ts';
import { referencePages } from './reference.ts';

const root = resolve(import.meta.dirname, '..');
const pages = [
  ...['README.md', 'CONTRIBUTING.md'].map((name) => join(root, name)),
  ...readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(import.meta.dirname, name)),
];

test.each(Object.entries(referencePages()))('docs/%s says what the contracts say', (name, text) => {
  expect(readFileSync(join(import.meta.dirname, name), 'utf8')).toBe(text);
});

test.each(pages)('every link of %s that stays in the repository leads somewhere', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link ?? '');
  const dead = links.filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(dirname(page), link)));
  expect(dead).toEqual([]);
});

test('every variable that a process reads is explained', () => {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  const schemas = [gatewayConfig, schedulingConfig, workflowsConfig, migrateConfig];
  const names = new Set(schemas.flatMap((schema) => Object.keys(schema.properties)));
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
