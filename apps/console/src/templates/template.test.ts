import { describe, expect, test } from 'vitest';
import type { Template } from '../api/platform.ts';
import { faultOfField, fieldsOf, isIncomplete, noTemplate, previewOf, templateOf, textOf } from './template.ts';

type Part = Template['components'][number];
const part = (type: Part['type'], more: Partial<Part> = {}): Part => ({
  ...{ type, text: null, format: null, buttons: [] },
  ...more,
});
const template = (components: Part[], more: Partial<Template> = {}): Template => ({
  ...{ id: '1', name: 'news', language: 'en', status: 'approved', rejected_reason: null, category: 'utility' },
  ...{ quality: 'green', variables: 'positional', updated_at: '2027-01-01T00:00:00Z', components },
  ...more,
});
const sent = (chosen: Template, values: Record<string, string>) => templateOf({ ...noTemplate, chosen, values });
const text = (value: string) => ({ type: 'text', text: value });

describe('a template of the channel has a field for each value that it needs', () => {
  test.each<[string, Template, Record<string, string>, unknown]>([
    ['none', template([part('body', { text: 'Hello' }), part('footer', { text: 'Bye' })]), {}, undefined],
    [
      'numbers, each once and in their order',
      template([part('body', { text: '{{2}}, {{1}} and {{2}}' })]),
      { 'body.1': ' Ana ', 'body.2': '15h' },
      [{ type: 'body', parameters: [text('Ana'), text('15h')] }],
    ],
    [
      'names',
      template([part('header', { format: 'text', text: '{{day}}' }), part('body', { text: '{{ name }}' })], {
        variables: 'named',
      }),
      { 'header.day': 'Monday', 'body.name': 'Ana' },
      [
        { type: 'header', parameters: [{ ...text('Monday'), parameter_name: 'day' }] },
        { type: 'body', parameters: [{ ...text('Ana'), parameter_name: 'name' }] },
      ],
    ],
    [
      'a picture',
      template([part('header', { format: 'image' })]),
      { media: 'https://example.com/a.png' },
      [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] }],
    ],
    [
      'a place',
      template([part('header', { format: 'location' })]),
      {
        'location.latitude': '-23.5',
        'location.longitude': '-46',
        'location.name': 'Shop',
        'location.address': 'Rua A',
      },
      [
        {
          type: 'header',
          parameters: [
            { type: 'location', location: { latitude: -23.5, longitude: -46, name: 'Shop', address: 'Rua A' } },
          ],
        },
      ],
    ],
    [
      'the buttons that have a variable',
      template([
        part('buttons', {
          buttons: [
            { type: 'quick_reply', text: 'Yes', url: null },
            { type: 'url', text: 'Home', url: 'https://example.com' },
            { type: 'url', text: 'See', url: 'https://example.com/{{1}}' },
            { type: 'copy_code', text: 'Copy', url: null },
          ],
        }),
      ]),
      { 'button.2': 'a', 'button.3': 'X1' },
      [
        { type: 'button', sub_type: 'url', index: 2, parameters: [text('a')] },
        { type: 'button', sub_type: 'copy_code', index: 3, parameters: [{ type: 'coupon_code', coupon_code: 'X1' }] },
      ],
    ],
  ])('%s', (_, chosen, values, components) => {
    expect(fieldsOf(chosen).map(({ id }) => id)).toEqual(Object.keys(values));
    expect(isIncomplete({ ...noTemplate, chosen })).toBe(Object.keys(values).length > 0);
    expect(isIncomplete({ ...noTemplate, chosen, values })).toBe(false);
    expect(sent(chosen, values)).toEqual({
      name: 'news',
      language: 'en',
      ...(components !== undefined && { components }),
    });
  });
});

test.each([
  ['https://example.com/a.png', undefined],
  ['http://example.com/a.png', 'address'],
  ['a.png', 'address'],
  [' ', 'missing'],
])('the address of a picture: %s', (value, fault) => {
  expect(faultOfField({ part: 'media', format: 'image', id: 'media' }, value)).toBe(fault);
});

test.each([
  ['-23.55', undefined],
  ['23,5', 'number'],
  ['north', 'number'],
])('a latitude: %s', (value, fault) => {
  expect(faultOfField({ part: 'location', member: 'latitude', id: 'location.latitude' }, value)).toBe(fault);
});

test('the preview has the values that are typed, and the variables of the others', () => {
  const chosen = template([
    part('header', { format: 'text', text: 'Order {{1}}' }),
    part('body', { text: 'Hello, {{1}}: {{2}}' }),
    part('footer', { text: 'Bye' }),
    part('buttons', { buttons: [{ type: 'quick_reply', text: 'Thanks', url: null }] }),
  ]);
  const values = { 'header.1': '7', 'body.1': 'Ana' };
  expect(previewOf(chosen, values)).toEqual({
    texts: [
      { part: 'header', text: 'Order 7' },
      { part: 'body', text: 'Hello, Ana: {{2}}' },
      { part: 'footer', text: 'Bye' },
    ],
    buttons: ['Thanks'],
  });
  expect(textOf({ ...noTemplate, chosen, values })).toBe('Order 7\n\nHello, Ana: {{2}}\n\nBye');
});

test('of a template that is typed each line is the value of a variable', () => {
  const typed = { name: ' ready ', language: 'pt_BR', values: ' Helena \n\n15h' };
  expect(templateOf({ ...noTemplate, typed })).toEqual({
    name: 'ready',
    language: 'pt_BR',
    components: [{ type: 'body', parameters: [text('Helena'), text('15h')] }],
  });
  expect(templateOf({ ...noTemplate, typed: { ...typed, values: '' } })).toEqual({ name: 'ready', language: 'pt_BR' });
  expect(isIncomplete({ ...noTemplate, typed: { ...typed, language: ' ' } })).toBe(true);
  expect(templateOf(noTemplate)).toBeUndefined();
  expect(isIncomplete(noTemplate)).toBe(false);
});
