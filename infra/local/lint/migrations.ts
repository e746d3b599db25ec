import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.ts';

/** The hashes of the migrations from before this lint. They run on empty or small tables, and never change. */
const acceptedFile = join(import.meta.dirname, 'accepted-migrations.json');

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
  const accepted: Record<string, string> = JSON.parse(readFileSync(acceptedFile, 'utf8'));
  const faults = globSync('services/*/migrations/*.sql', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const sql = readFileSync(join(root, file), 'utf8');
      const hash = createHash('sha256').update(sql).digest('hex');
      if (!(file in accepted)) return migrationFaults(sql).map((fault) => `${file}:${fault}`);
      return accepted[file] === hash ? [] : [`${file}: an existing migration has changed; write a new file instead`];
    });
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
