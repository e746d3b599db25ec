import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = import.meta.dirname;
const { locales, ...settings } = JSON.parse(readFileSync(join(folder, '../project.inlang/settings.json'), 'utf8'));
const patterns: string[] = settings['plugin.inlang.messageFormat'].pathPattern;

/** The texts of a language, from all its files. */
function read(language: string): Record<string, string> {
  const files = patterns.map((pattern) => join(folder, '..', pattern.replace('{locale}', language)));
  const texts = files.flatMap((file) => Object.entries<string>(JSON.parse(readFileSync(file, 'utf8'))));
  const keys = texts.map(([key]) => key).filter((key) => key !== '$schema');
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  return Object.fromEntries(texts.filter(([key]) => key !== '$schema'));
}

test('every file of texts is one that the settings name', () => {
  const named = patterns.flatMap((pattern) => locales.map((language: string) => pattern.replace('{locale}', language)));
  const there = globSync('messages/**/*.json', { cwd: join(folder, '..') }).map((file) => `./${file}`);
  expect(there.sort()).toEqual(named.sort());
});

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
  const code = globSync('**/*.{ts,tsx}', { cwd: sources })
    .filter((file) => !/^(paraglide|generated)\//.test(file))
    .map((file) => readFileSync(join(sources, file), 'utf8'))
    .join('\n');
  const unused = Object.keys(english).filter((key) => !new RegExp(`\\bm\\.${key}\\b`).test(code));
  expect(unused).toEqual([]);
});

test('no text puts a count before its noun, which would be wrong for one', () => {
  // Right for one, or never one.
  const right = ['key_in_days', 'followups_last_days', 'inbox_unread_count', 'key_more_scopes'];
  const wrong = ['en', 'es', 'pt-BR'].flatMap((language) =>
    Object.entries(read(language)).filter(([key, text]) => !right.includes(key) && /\{count\} \p{L}{2}/u.test(text)),
  );
  expect(wrong).toEqual([]);
});

test('a follow-up has one name in Portuguese', () => {
  for (const [key, text] of Object.entries(read('pt-BR'))) expect(text, key).not.toMatch(/follow/i);
});

test('a customer has one name in each language', () => {
  // Words for other things: the first message, and a card of an address book.
  const others = [
    'agents_type_first_contact',
    'agents_first_contact_yes',
    'agents_first_contact_no',
    'inbox_type_contacts',
  ];
  const names = {
    en: /\bleads?\b(?! (in)?to (a|the) )|\bcontacts?\b/i,
    es: /\bleads?\b|\bcontactos?\b/i,
    'pt-BR': /\bleads?\b|\bcontatos?\b/i,
  };
  const wrong = Object.entries(names).flatMap(([language, name]) =>
    Object.entries(read(language)).filter(([key, text]) => !others.includes(key) && name.test(text)),
  );
  expect(wrong).toEqual([]);
});
