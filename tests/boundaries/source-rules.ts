// Rules about the source text that no linter has.

/** Source code without its comments. */
const code = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');

/** Whether the source runs SQL: a tagged template, or `unsafe`. */
export const runsSql = (source: string): boolean => /\b\w*[sS]ql(<[^`;]*>)?`|\bsql\.unsafe\(/.test(code(source));

/** Modules of the kit with SQL. Other SQL is in `*.repository.ts`, migrations, tests and `packages/rollups`. */
export const sqlModules: readonly string[] = [
  'packages/kit/src/database/client.ts',
  'packages/kit/src/database/database.ts',
  'packages/kit/src/database/each-store.ts',
  'packages/kit/src/database/migrate.ts',
  'packages/kit/src/database/settled-moment.ts',
  'packages/kit/src/outbox/outbox.ts',
];

export const maySql = (path: string): boolean =>
  path.endsWith('.repository.ts') || path.startsWith('packages/rollups/src/') || sqlModules.includes(path);

/** Whether the source branches on a provider's name, in a comparison or a `case`. */
export const asksForProvider = (source: string, names: readonly string[]): boolean =>
  new RegExp(`([!=]==?|\\bcase)\\s*['"\`](${names.join('|')})['"\`]|['"\`](${names.join('|')})['"\`]\\s*[!=]==?`).test(
    code(source),
  );
