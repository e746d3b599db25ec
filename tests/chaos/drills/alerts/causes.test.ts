import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { expect, test } from 'vitest';
import { onlyTested, rounds } from './causes.ts';
import { alertNames, quicker, quickerConfiguration, quickerRules } from './quicker.ts';
import type { Scene } from './scene.ts';
import { likeOf, nameOf, textFaults } from './watch.ts';

const rules = readFileSync(join(root, 'infra/observability/rules/alerts.yaml'), 'utf8');
/** What the table reads of a platform. */
const scene = { platform: { ports: {} } } as Scene;

test('every alert has a cause, or a reason why only promtool fires it, and nothing else has', () => {
  const caused = rounds
    .flatMap(({ causes, lasting = [] }) => [...lasting, ...causes])
    .flatMap((cause) => cause.alerts(scene).map(({ alert }) => alert));
  expect(alertNames().length).toBeGreaterThan(30);
  expect([...new Set([...caused, ...Object.keys(onlyTested)])].sort()).toEqual(alertNames().sort());
  expect(caused.filter((alert) => alert in onlyTested)).toEqual([]);
  for (const why of Object.values(onlyTested)) expect(why.length).toBeGreaterThan(30);
});

test('the rules of the drill differ from the project’s only in durations, and no threshold changes', () => {
  const quick = quickerRules(rules);
  const durations = /(\bfor: |\[|\boffset )\d+[smhd]\b/g;
  expect(quick.replaceAll(durations, '$1')).toBe(rules.replaceAll(durations, '$1'));
  expect(quick).not.toBe(rules);
  expect(quickerRules('for: 5m\nrate(x[10m]) > 60 offset 1h\n> 14 * 86400')).toBe(
    `for: ${300 / quicker}s\nrate(x[${600 / quicker}s]) > 60 offset ${3600 / quicker}s\n> 14 * 86400`,
  );
});

test('the configuration of the drill differs from the project’s only in its intervals', () => {
  const configuration = readFileSync(join(root, 'infra/observability/prometheus.yaml'), 'utf8');
  const lines = configuration.split('\n');
  const changed = quickerConfiguration(configuration)
    .split('\n')
    .filter((line, index) => line !== lines[index]);
  expect(changed.map((line) => line.trim().split(':')[0])).toEqual(['scrape_interval', 'evaluation_interval']);
});

test('an alert whose runbook does not exist, or whose summary lacks a value, is a fault', () => {
  const firing = (runbook: string, summary: string) => ({
    labels: { alertname: 'MostradorSlow', severity: 'warning', service: 'crm' },
    annotations: { runbook, summary },
  });
  expect(textFaults(firing('docs/operations/alerts.md#mostradorslow', 'It is slow.'))).toEqual([]);
  expect(textFaults(firing('docs/operations/alerts.md#mostradorslov', 'It is slow.'))).toHaveLength(1);
  expect(textFaults(firing('docs/operations/alert.md#mostradorslow', ''))).toHaveLength(2);
  expect(nameOf(likeOf(firing('', '')))).toBe('MostradorSlow{service=crm}');
});
