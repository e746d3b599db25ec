import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${language}.json`), 'utf8'));
const english = read('en');
const inputs = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

test.each(['es', 'pt-BR'])('%s has every text, with the same inputs', (language) => {
  const texts = read(language);
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect(text.trim(), key).not.toBe('');
    expect(inputs(text), key).toEqual(inputs(english[key] ?? ''));
  }
});

test('every text is used', () => {
  const sources = join(import.meta.dirname, '../src');
  const code = globSync('{api,ui,shell,login,keys,account}/**/*.{ts,tsx}', { cwd: sources })
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join('\n');
  const unused = Object.keys(english).filter((key) => key !== '$schema' && !new RegExp(`\\bm\\.${key}\\b`).test(code));
  expect(unused).toEqual([]);
});
