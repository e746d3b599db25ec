// Rules about the text of the source that no linter has.

/** Source code without its comments. */
const code = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');

/** Whether the source runs SQL: a tagged template, or `unsafe`. */
export const runsSql = (source: string): boolean => /\b\w*[sS]ql(<[^`;]*>)?`|\bsql\.unsafe\(/.test(code(source));

/** Where SQL may stand besides `*.repository.ts`, migrations and tests: `packages/rollups` and these modules of the kit. */
export const sqlModules: readonly string[] = [
  'packages/kit/src/database/database.ts',
  'packages/kit/src/database/migrate.ts',
  'packages/kit/src/database/settled-moment.ts',
  'packages/kit/src/delivery/idempotency.ts',
  'packages/kit/src/delivery/outbox.ts',
];

export const maySql = (path: string): boolean =>
  path.endsWith('.repository.ts') || path.startsWith('packages/rollups/src/') || sqlModules.includes(path);

/** Whether the source asks which provider a channel has: a comparison or a `case` with the name of one. */
export const asksForProvider = (source: string, names: readonly string[]): boolean =>
  new RegExp(`([!=]==?|\\bcase)\\s*['"\`](${names.join('|')})['"\`]|['"\`](${names.join('|')})['"\`]\\s*[!=]==?`).test(
    code(source),
  );
