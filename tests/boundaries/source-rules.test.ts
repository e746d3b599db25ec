import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { channelProviders } from '../../packages/contracts/src/index.ts';
import { asksForProvider, maySql, runsSql, sqlModules } from './source-rules.ts';

const root = join(import.meta.dirname, '../..');
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: root });
/** The deployed sources. */
const sources = listed
  .toString('utf8')
  .split('\n')
  .filter((path) => /^(packages\/(?!(testing|local-platform)\/)|services\/|workflows\/src\/|apps\/)/.test(path))
  .filter((path) => !/[.]test[.]ts$|\/test\/|\/replay\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('SQL', () => {
  test('is only in repositories, in the rollups package, and in the named modules of the kit', () => {
    expect(sources.filter(({ path, text }) => runsSql(text) && !maySql(path)).map(({ path }) => path)).toEqual([]);
  });

  test('is in every named module', () => {
    const withSql = sources.filter(({ text }) => runsSql(text)).map(({ path }) => path);
    expect(sqlModules.filter((path) => !withSql.includes(path))).toEqual([]);
  });

  test.each([
    'await sql`select 1`',
    'await sql<Row[]>`\n select 1`',
    'systemSql<{ id: string }[]>`x`',
    "sql.unsafe('x')",
  ])('is recognized: %s', (source) => {
    expect(runsSql(source)).toBe(true);
  });

  test('is not recognized in a comment', () => {
    expect(runsSql('/** `packages/kit/sql` and sql`select 1` */\n// sql`select 1`\n')).toBe(false);
  });
});

describe('a branch on the provider of a channel', () => {
  const folders = /^services\/messaging\/src\/channels\/(whatsapp|sandbox)\//;

  test('is only in the folder of that provider', () => {
    const asking = sources.filter(({ path, text }) => !folders.test(path) && asksForProvider(text, channelProviders));
    expect(asking.map(({ path }) => path)).toEqual([]);
  });

  test.each(["provider === 'sandbox'", "'whatsapp_cloud' !== provider", "case 'sandbox':"])(
    'is recognized: %s',
    (source) => {
      expect(asksForProvider(source, channelProviders)).toBe(true);
    },
  );
});
