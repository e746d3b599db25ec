import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditDetails } from '@mostrador/contracts';
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

test('the audit log and the console show every member that an operation names for the log', () => {
  const named = new Set(personRoutes.flatMap(({ audited }) => audited || []));
  expect(named.size).toBeGreaterThan(3);
  // Ids are counted, and a filter is shown by its members.
  const shown = [...Object.keys(AuditDetails.properties), 'ids', 'filter'];
  expect([...named].filter((member) => !shown.includes(member))).toEqual([]);
  const words = read('apps/console/src/team/audit-details.ts');
  expect(
    Object.keys(AuditDetails.properties).filter(
      (member) => !new RegExp(`\\b${member} &&|\\b${member} !==|${member} ===`).test(words),
    ),
  ).toEqual([]);
});
