import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

test('the chart has the version of the platform', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const chart = parse(readFileSync(join(import.meta.dirname, 'mostrador/Chart.yaml'), 'utf8'));
  expect(chart).toMatchObject({ version, appVersion: version });
});
