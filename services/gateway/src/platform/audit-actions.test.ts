import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { personRoutes } from '../routes/index.ts';
import { actionOf } from './person-auth.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('the console has words for everything that the audit log can say, and for nothing else', () => {
  const asked = personRoutes
    .filter(({ method, audited }) => method !== 'GET' && audited !== false)
    .map(({ operation }) => actionOf(operation));
  const ofAccounts = globSync('services/accounts/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => read(file).match(/(?<=action: ')[a-z_]+[.][a-z_]+(?=')/g) ?? []);
  expect(ofAccounts.length).toBeGreaterThan(15);
  const words = read('apps/console/src/team/audit-words.ts').match(/(?<=^ {2}')[a-z_]+[.][a-z_]+(?=': m[.])/gm) ?? [];
  expect([...words].sort()).toEqual([...new Set([...asked, ...ofAccounts])].sort());
});
