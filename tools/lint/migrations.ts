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
 * What would block requests or break the previous version while one of these files runs on large tables, as
 * `file:line: rule: message`. Squawk finds locks, scans and incompatible changes. A `-- squawk-ignore <rule>` above a
 * statement accepts it.
 */
export function migrationFaults(files: readonly string[]): string[] {
  const texts = files.map((file) => ({ file, sql: readFileSync(join(root, file), 'utf8') }));
  const { alone = [], together = [] } = Object.groupBy(texts, ({ sql }) =>
    withoutTransaction.test(sql) ? 'alone' : 'together',
  );
  const found = [...squawk(alone), ...squawk(together, '--assume-in-transaction')];
  return texts.flatMap(({ file, sql }) =>
    [...found.flatMap((fault) => (fault.file === file ? fault.text : [])), ...wholeTableChanges(sql)].map(
      (fault) => `${file}:${fault}`,
    ),
  );
}

/** One process looks at all files: a start costs more than a file. */
function squawk(files: readonly { readonly file: string }[], ...more: string[]): { file: string; text: string }[] {
  if (files.length === 0) return [];
  const { error, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/squawk'),
    [
      ...['--reporter', 'json', '--pg-version', '18', ...more],
      ...excluded.flatMap((rule) => ['--exclude', rule]),
      ...files.map(({ file }) => file),
    ],
    { cwd: root, encoding: 'utf8' },
  );
  if (error || !stdout.startsWith('[')) throw error ?? new Error(stdout + stderr);
  const found: { file: string; line: number; rule_name: string; message: string }[] = JSON.parse(stdout);
  return (
    found
      // Squawk does not know the rule of this file.
      .filter(({ message }) => !message.includes('whole-table-change'))
      .map(({ file, line, rule_name, message }) => ({ file, text: `${line + 1}: ${rule_name}: ${message}` }))
  );
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

const sha256 = (text: Buffer): string => createHash('sha256').update(text).digest('hex');

if (import.meta.main) {
  const released: Record<string, string> = JSON.parse(readFileSync(releasedFile, 'utf8'));
  const files = globSync('services/*/migrations/*.sql', { cwd: root });
  const changed = Object.entries(released).flatMap(([file, hash]) => {
    const isKept = files.includes(file) && hash === sha256(readFileSync(join(root, file)));
    return isKept ? [] : [`${file}: a released migration has changed; write a new file instead`];
  });
  const faults = [...changed, ...migrationFaults(files)].toSorted();
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
