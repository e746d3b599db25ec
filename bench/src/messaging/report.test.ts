import { expect, test } from 'vitest';
import type { Measured } from './plan.ts';
import { sectionsOf } from './report.ts';
import type { Row } from './rows.ts';

const row: Row = {
  ...{ name: 'send', title: 'send', warmUp: false, measure: async () => measured(0), floors: {} },
  targets: [
    { figure: 'sent/s', holds: '≥', limit: 200 },
    { figure: 'never measured', holds: '≤', limit: 1 },
  ],
};
const measured = (sent: number): Measured => ({ figures: { 'sent/s': sent, 'answered/s': 1 }, cpuMs: { nats: 0.5 } });

test('the headline has the targets of the platform, and a section has its floors beside it', () => {
  const variants = new Map([
    ['platform', [measured(100), measured(300), measured(200)]],
    ['bare', [{ figures: { 'sent/s': 400 }, cpuMs: { bare: 2 } }]],
  ]);
  const [[title, headline] = [], section] = sectionsOf([{ row, variants }]);
  expect(title).toBe('Targets');
  expect(headline).toContain('send: sent/s');
  expect(headline).toContain('reached');
  expect(headline).not.toContain('never measured');
  const [name, figures, , processors] = section ?? [];
  expect(name).toBe('send');
  expect(figures).toMatch(/\| what +\| platform +\| bare +\| bare ÷ platform \|/);
  // A ratio is one of the same round, and a figure that a floor has not stays empty.
  expect(figures).toMatch(/\| sent\/s +\| 200 \(100–300\) +\| 400 +\| 4\.00/);
  expect(figures).toMatch(/\| answered\/s +\| 1\.00[^|]*\| +\|/);
  expect(processors).toMatch(/\| all +\| 0\.50 +\| 2\.00 \|/);
});

test('a comparison of two versions has no targets', () => {
  const variants = new Map([
    ['before', [measured(100)]],
    ['after', [measured(150)]],
  ]);
  const [first] = sectionsOf([{ row, variants }]);
  expect(first?.[0]).toBe('send');
  expect(first?.[1]).toMatch(/\| sent\/s +\| 100 +\| 150 +\| 1\.50/);
});
