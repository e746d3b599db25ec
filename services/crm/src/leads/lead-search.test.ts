import { expect, test } from 'vitest';
import { readSearch } from './lead-search.ts';

test('a search is cut into words without the signs around them', () => {
  expect(readSearch(' "José  da" Silva, ')).toEqual({ words: ['José', 'da', 'Silva'], spellings: [] });
  expect(readSearch('ana@example.com')).toEqual({ words: ['ana@example.com'], spellings: [] });
});

test('a phone is searched for by its digits too, in all of its forms', () => {
  expect(readSearch('+55 (31) 97777-6666').spellings).toEqual(['5531977776666', '553177776666']);
  expect(readSearch('97777-6666')).toEqual({ words: ['97777-6666'], spellings: ['977776666'] });
  expect(readSearch('ERP-1042').spellings).toEqual([]);
});

test.each(['--', 'a', '(1)', '%_', '!a?'])('%s has too few letters and digits', (q) => {
  expect(() => readSearch(q)).toThrowError(expect.objectContaining({ code: 'validation_failed' }));
});
