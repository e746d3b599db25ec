import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '..');
const sheets = globSync('**/*.css', { cwd: sources }).filter((file) => !file.endsWith('tokens.css'));

test('every colour comes from the one file of tokens', () => {
  expect(sheets.length).toBeGreaterThan(5);
  for (const file of sheets) {
    const css = readFileSync(join(sources, file), 'utf8');
    expect(css, file).not.toMatch(/#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|oklab|lab|lch)a?\(/i);
  }
});

/** Set by Base UI: the room beside what opens a menu. */
const ofLibraries = ['--available-height'];

test('every token that a style uses exists', () => {
  const defined = new Set(readFileSync(join(sources, 'styles/tokens.css'), 'utf8').match(/--[\w-]+(?=:)/g));
  for (const name of ofLibraries) defined.add(name);
  for (const file of sheets) {
    const css = readFileSync(join(sources, file), 'utf8');
    // A library's own, which the file sets.
    const own = new Set(css.match(/--[\w-]+(?=:)/g));
    const used = css.match(/(?<=var\()--[\w-]+/g) ?? [];
    expect(
      used.filter((name) => !defined.has(name) && !own.has(name)),
      file,
    ).toEqual([]);
  }
});
