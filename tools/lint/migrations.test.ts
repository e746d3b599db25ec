import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { afterAll, expect, test } from 'vitest';
import { migrationFaults } from './migrations.ts';

const folder = mkdtempSync(join(tmpdir(), 'mostrador-migrations-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fileOf = (sql: string): string => {
  const file = join(folder, `${++files}.sql`);
  writeFileSync(file, sql);
  return relative(root, file);
};
const rulesOf = (sql: string) => migrationFaults([fileOf(sql)]).map((fault) => fault.split(': ')[1]);

test.each([
  ['create index by_n on things (n);', 'require-concurrent-index-creation'],
  ['drop index by_n;', 'require-concurrent-index-deletion'],
  ['alter table things alter column n set not null;', 'adding-not-nullable-field'],
  ['alter table things alter column n type bigint;', 'changing-column-type'],
  ['alter table things add constraint c check (n > 0);', 'constraint-missing-not-valid'],
  ['alter table things add constraint f foreign key (n) references t (id);', 'constraint-missing-not-valid'],
  ['alter table things add constraint u unique (n);', 'disallowed-unique-constraint'],
  ['alter table things add column m uuid default gen_random_uuid();', 'adding-field-with-default'],
  ['alter table things add column m text not null;', 'adding-required-field'],
  ['alter table things rename column n to m;', 'renaming-column'],
  ['alter table things drop column n;', 'ban-drop-column'],
  ['update things set n = 0;', 'whole-table-change'],
  ['select 1;\n\n  DELETE FROM things where n is null;', 'whole-table-change'],
  ['lock table things in share mode;', 'whole-table-change'],
  ['-- no-transaction\ncreate index concurrently by_n on things (n);', 'prefer-robust-stmts'],
])('a migration that blocks requests or breaks the previous version is a fault: %s', (sql, rule) => {
  expect(rulesOf(sql)).toContain(rule);
});

test.each([
  'create table things (id uuid primary key, n int not null);\ncreate index by_n on things (n);\nupdate things set n = 1;',
  'alter table things add column m text;',
  'alter table things add column m int not null default 0;',
  'alter table things add constraint c check (n > 0) not valid;',
  '-- no-transaction\ncreate index concurrently if not exists by_n on things (n);',
  'create function f() returns trigger language plpgsql as $$ begin update things set n = 1; return null; end $$;',
  "insert into settings (name) values ('x; update things set n = 0');\n-- update things set n = 0;",
  '-- squawk-ignore ban-drop-column\nalter table things drop column n;',
  '-- squawk-ignore whole-table-change\nlock table things in share mode;',
])('a migration that expands, or says what it accepts, is none: %s', (sql) => {
  expect(rulesOf(sql)).toEqual([]);
});

test('each fault names its file and its line', () => {
  const [alone, together] = ['-- no-transaction\ndrop index by_n;', 'select 1;\nupdate things set n = 0;'].map(fileOf);
  expect(migrationFaults([alone, together] as string[])).toEqual(
    expect.arrayContaining([
      expect.stringMatching(`^${alone}:2: require-concurrent-index-deletion: `),
      expect.stringMatching(`^${together}:2: whole-table-change: `),
    ]),
  );
});
