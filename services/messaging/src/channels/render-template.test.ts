import { expect, test } from 'vitest';
import { renderTemplate } from './render-template.ts';

const part = (type: 'header' | 'body' | 'footer', text: string | null) => ({ type, text, format: null, buttons: [] });
const parameters = (...values: object[]) => [{ type: 'body', parameters: values }];

test.each([
  [
    'positional values',
    'Hi {{1}}, at {{2}}, {{1}}',
    parameters({ type: 'text', text: 'Ana' }, { type: 'text', text: '3' }),
    'Hi Ana, at 3, Ana',
  ],
  ['a value that quotes a pattern', 'Hi {{1}}', parameters({ type: 'text', text: '$& {{1}}' }), 'Hi $& {{1}}'],
  [
    'an amount and a time',
    '{{1}} {{2}}',
    parameters(
      { type: 'currency', currency: { fallback_value: 'R$ 9', code: 'BRL', amount_1000: 9000 } },
      { type: 'date_time', date_time: { fallback_value: 'Friday' } },
    ),
    'R$ 9 Friday',
  ],
  ['no values', 'Hi {{1}}', [], 'Hi {{1}}'],
])('a text with %s is what the customer reads', (_, text, values, expected) => {
  expect(renderTemplate({ variables: 'positional', components: [part('body', text)] }, values)).toBe(expected);
});

test('named values go to their variables, and header, body and footer stand below each other', () => {
  const components = [part('header', 'Hello {{who}}'), part('body', 'At {{time}}'), part('footer', 'Bye')];
  const values = [
    { type: 'header', parameters: [{ type: 'text', parameter_name: 'who', text: 'Ana' }] },
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'time', text: '3' }] },
  ];
  expect(renderTemplate({ variables: 'named', components }, values)).toBe('Hello Ana\n\nAt 3\n\nBye');
});
