import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

/** The hashes of the migrations of all releases, which never change. */
const releasedFile = join(import.meta.dirname, 'released-migrations.json');

/** The runner sets the timeouts. The other rules are about style. */
const excluded = [
  ...['require-lock-timeout', 'require-statement-timeout'],
  ...['prefer-bigint-over-int', 'prefer-bigint-over-smallint', 'prefer-identity', 'prefer-text-field'],
];
const withoutTransaction = /^-- no-transaction\s*\n/;
const ignored = /--\s*squawk-ignore[^\n]*\bwhole-table-change\b[^\n]*\n\s*$/;

/**
 * What would block requests or break the previous version while a migration runs on large tables, as `line: reason`.
 * Squawk finds locks, scans and incompatible changes. A `-- squawk-ignore <rule>` above a statement accepts it.
 */
export function migrationFaults(sql: string): string[] {
  const isAlone = withoutTransaction.test(sql);
  const squawk = spawnSync(
    join(root, 'node_modules/.bin/squawk'),
    [
      ...['--reporter', 'json', '--pg-version', '18', '--stdin-filepath', 'migration.sql'],
      ...excluded.flatMap((rule) => ['--exclude', rule]),
      ...(isAlone ? [] : ['--assume-in-transaction']),
    ],
    { input: sql, encoding: 'utf8' },
  );
  if (squawk.error || !squawk.stdout.startsWith('[')) throw squawk.error ?? new Error(squawk.stdout + squawk.stderr);
  const found: { line: number; rule_name: string; message: string }[] = JSON.parse(squawk.stdout);
  return [
    ...found
      // Squawk does not know the rule of this file.
      .filter(({ message }) => !message.includes('whole-table-change'))
      .map(({ line, rule_name, message }) => `${line + 1}: ${rule_name}: ${message}`),
    ...wholeTableChanges(sql),
  ];
}

/** Statements that change or lock an existing table as a whole. Squawk has no rule for them. */
function wholeTableChanges(sql: string): string[] {
  const blank = (text: string) => text.replaceAll(/[^\n]/g, ' ');
  const code = sql.replaceAll(/(\$\w*\$).*?\1|'[^']*'|--[^\n]*/gs, blank);
  const created = new Set([...code.matchAll(/\bcreate table (?:if not exists )?(\w+)/gi)].map(([, name]) => name));
  const change =
    /(?<=^|;)(\s*)(update|delete\s+from|truncate(?:\s+table)?|lock(?:\s+table)?|cluster|vacuum(?:\s+full)?)\s+(?:only\s+)?(\w+)/gi;
  return [...code.matchAll(change)]
    .filter(({ index, 1: space = '', 3: table }) => {
      return !created.has(table ?? '') && !ignored.test(sql.slice(0, index + space.length));
    })
    .map(({ index, 1: space = '', 2: verb, 3: table }) => {
      const line = sql.slice(0, index + space.length).split('\n').length;
      return `${line}: whole-table-change: \`${verb} ${table}\` holds locks for as long as the table is long; change rows in batches, in a periodic job`;
    });
}

if (import.meta.main) {
  const released: Record<string, string> = JSON.parse(readFileSync(releasedFile, 'utf8'));
  const files = globSync('services/*/migrations/*.sql', { cwd: root });
  const faults = [...new Set([...files, ...Object.keys(released)])].toSorted().flatMap((file) => {
    const sql = files.includes(file) ? readFileSync(join(root, file), 'utf8') : '';
    const isKept = [undefined, createHash('sha256').update(sql).digest('hex')].includes(released[file]);
    const changed = isKept ? [] : [`${file}: a released migration has changed; write a new file instead`];
    return [...changed, ...migrationFaults(sql).map((fault) => `${file}:${fault}`)];
  });
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
