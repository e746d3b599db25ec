import { describe, expect, test } from 'vitest';
import { fillReminder, localeOf } from './reminder-text.ts';

const values = {
  ...{ name: 'Maria', service: 'Corte', time: 'sexta-feira às 14:30' },
  calendar_link: 'https://api.example.com/calendars/x.ics',
};
const fill = (message: string, own: Partial<typeof values> = {}) =>
  fillReminder({ message, template: null }, () => ({ ...values, ...own })).message;

describe('the placeholders of a message', () => {
  test.each([
    ['{{name}}, {{service}}: {{time}}. {{name}}!', 'Maria, Corte: sexta-feira às 14:30. Maria!'],
    ['{{ name }}', 'Maria'],
    ['Add it: {{calendar_link}}', 'Add it: https://api.example.com/calendars/x.ics'],
    ['no placeholder', 'no placeholder'],
    // A changed text of one reminder may have anything.
    ['{{price}} {name} {{}} {{toString}}', '{{price}} {name} {{}} {{toString}}'],
  ])('%s', (message, filled) => {
    expect(fill(message)).toBe(filled);
  });

  test('what a placeholder brings in is text, whatever it looks like', () => {
    expect(fill('{{name}} {{time}}', { name: '{{time}} $& $1' })).toBe('{{time}} $& $1 sexta-feira às 14:30');
  });

  test('a message that gets too long is cut', () => {
    expect([...fill('{{name}}'.repeat(50), { name: '😀'.repeat(200) })]).toHaveLength(4096);
  });
});

test('the texts in the components of a template are filled, and its name and everything else stay', () => {
  const components = [
    { type: 'body', parameters: [{ type: 'text', text: '{{time}}' }, 7, null] },
    { type: 'button', index: 0 },
  ];
  const template = { name: 'reminder_{{name}}', language: 'pt_BR', components };
  expect(fillReminder({ message: 'x', template }, () => values).template).toEqual({
    ...template,
    components: [
      { type: 'body', parameters: [{ type: 'text', text: values.time }, 7, null] },
      { type: 'button', index: 0 },
    ],
  });
  const plain = { name: 'reminder', language: 'en' };
  expect(fillReminder({ message: 'x', template: plain }, () => values).template).toEqual(plain);
});

test('the texts of a template are in its language, and the message in that of the store', () => {
  const valuesIn = (locale = 'of the store') => ({ ...values, time: locale });
  const components = [{ type: 'body', parameters: [{ type: 'text', text: '{{time}}' }] }];
  const filled = (language: string) =>
    fillReminder({ message: '{{time}}', template: { name: 'reminder', language, components } }, valuesIn);
  const of = (time: string) => [{ type: 'body', parameters: [{ type: 'text', text: time }] }];
  expect(filled('pt_BR')).toMatchObject({ message: 'of the store', template: { components: of('pt-BR') } });
  expect(filled('no language')).toMatchObject({
    message: 'of the store',
    template: { components: of('of the store') },
  });
});

test.each([
  ['pt_BR', 'pt-BR'],
  ['es', 'es'],
  ['zh_Hant_TW', 'zh-Hant-TW'],
  ['no language', undefined],
  ['', undefined],
])('the locale of a template in %s is %s', (language, locale) => {
  expect(localeOf(language)).toBe(locale);
});
