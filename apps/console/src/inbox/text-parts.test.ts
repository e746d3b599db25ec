import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Part, partsOf } from './text-parts.ts';

const bold = (...parts: Part[]): Part => ({ mark: 'bold', parts });
const italic = (...parts: Part[]): Part => ({ mark: 'italic', parts });
const link = (address: string): Part => ({ link: address, label: address });

test.each<[text: string, parts: Part[]]>([
  ['', []],
  ['Olá', ['Olá']],
  ['É *hoje* às _9h_.', ['É ', bold('hoje'), ' às ', italic('9h'), '.']],
  ['*a _b_ c*', [bold('a ', italic('b'), ' c')]],
  ['~não~ sim', [{ mark: 'strike', parts: ['não'] }, ' sim']],
  ['2*3*4 and a_b_c', ['2*3*4 and a_b_c']],
  ['* not bold * nor *\nthis*', ['* not bold * nor *\nthis*']],
  [
    'use `*x*` or ```a\n*b*```',
    ['use ', { mark: 'code', parts: ['*x*'] }, ' or ', { mark: 'code', parts: ['a\n*b*'] }],
  ],
  ['See https://x.example/a_b_c?d=1, ok', ['See ', link('https://x.example/a_b_c?d=1'), ', ok']],
  ['(http://x.example/)', ['(', link('http://x.example/'), ')']],
  ['javascript:alert(1)', ['javascript:alert(1)']],
])('%j is shown as %j', (text, parts) => {
  expect(partsOf(text)).toEqual(parts);
});

const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : 'link' in part ? part.label : textOf(part.parts))).join('');
const withoutMarks = (text: string) => text.replaceAll(/[*_~`]/g, '');

test('no other character is lost, and a link is a web address', () => {
  const text = fc.string({ unit: fc.constantFrom('*', '_', '~', '`', ' ', '\n', 'a', 'é', 'https://x.example/', '.') });
  fc.assert(
    fc.property(text, (given) => {
      const parts = partsOf(given);
      expect(withoutMarks(textOf(parts))).toBe(withoutMarks(given));
      for (const part of parts) if (typeof part === 'object' && 'link' in part) expect(part.link).toMatch(/^https?:/);
    }),
  );
});
