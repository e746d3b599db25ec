import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTemplatePage } from './templates.ts';

const approved = { name: 'order_ready', language: 'pt_BR', status: 'APPROVED', category: 'UTILITY', id: '1' };
const body = { type: 'BODY', text: 'Oi, {{1}}!', example: { body_text: [['Helena']] } };
const read = (entry: object) => readTemplatePage({ data: [entry] })?.templates[0];

test('an entry is read with its quality, its reason, its kind of variables and its components', () => {
  const components = [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['x'] } },
    body,
    { type: 'FOOTER', text: 'Até logo' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Ver', url: 'https://example.com/{{1}}', example: ['1'] },
        { type: 'QUICK_REPLY', text: 'Parar' },
        { type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' },
      ],
    },
  ];
  const more = { quality_score: { score: 'GREEN', date: 1 }, rejected_reason: 'NONE', parameter_format: 'NAMED' };
  const part = { format: null, text: null, buttons: [] };
  expect(read({ ...approved, ...more, components })).toEqual({
    name: 'order_ready',
    language: 'pt_BR',
    status: 'approved',
    rejected_reason: null,
    category: 'utility',
    quality: 'green',
    variables: 'named',
    components: [
      { ...part, type: 'header', format: 'image' },
      { ...part, type: 'body', text: 'Oi, {{1}}!' },
      { ...part, type: 'footer', text: 'Até logo' },
      {
        ...part,
        type: 'buttons',
        buttons: [
          { type: 'url', text: 'Ver', url: 'https://example.com/{{1}}' },
          { type: 'quick_reply', text: 'Parar', url: null },
          { type: 'unknown', text: 'Copy', url: null },
        ],
      },
    ],
  });
});

test.each([
  ['a newer status', { status: 'SOMETHING' }, { status: 'unknown' }],
  ['a rejection', { status: 'REJECTED', rejected_reason: 'SCAM' }, { status: 'rejected', rejected_reason: 'SCAM' }],
  ['a newer category', { category: 'GAMES' }, { category: 'unknown' }],
  ['no quality', { quality_score: null }, { quality: 'unknown' }],
  ['no components', {}, { components: [] }],
  ['a newer component', { components: [{ type: 'CAROUSEL', cards: [] }] }, { components: [{ type: 'unknown' }] }],
  ['a newer header', { components: [{ type: 'HEADER', format: 'GIF' }] }, { components: [{ format: 'unknown' }] }],
  ['a component of another form', { components: [7, null, 'x'] }, { components: [{}, {}, {}] }],
  [
    'more than 16 KiB of components',
    { components: [{ type: 'BODY', text: 'x'.repeat(16 * 1024) }] },
    { components: [{ type: 'unknown', text: null }] },
  ],
  [
    'a text that PostgreSQL cannot store',
    { components: [{ type: 'BODY', text: 'a\0b' }] },
    { components: [{ text: 'ab' }] },
  ],
])('%s is read as far as it is known', (_, entry, expected) => {
  expect(read({ ...approved, ...entry })).toMatchObject(expected);
});

test.each([
  ['without a name', { name: '' }],
  ['with a name that is none', { name: 'a b' }],
  ['without a language', { language: undefined }],
  ['that is deleted', { status: 'DELETED' }],
])('an entry %s is left out', (_, entry) => {
  expect(readTemplatePage({ data: [{ ...approved, ...entry }, approved] })?.templates).toMatchObject([
    { name: 'order_ready' },
  ]);
});

test.each([
  ['with another page', { cursors: { before: 'a', after: 'b' }, next: 'https://x?access_token=t' }, { after: 'b' }],
  ['that is the last one', { cursors: { before: 'a', after: 'b' } }, { after: null }],
  ['without paging', undefined, { after: null }],
  ['with another page but no cursor', { next: 'https://x' }, undefined],
])('a page %s', (_, paging, expected) => {
  const page = readTemplatePage({ data: [approved], paging });
  if (expected === undefined) expect(page).toBeUndefined();
  else expect(page).toMatchObject(expected);
});

test('any other answer is no page, and nothing throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      readTemplatePage(value);
      readTemplatePage({ data: [value], paging: value });
      readTemplatePage({ data: [{ ...approved, components: [value], quality_score: value }] });
    }),
  );
  for (const answer of [undefined, null, [], 'x', {}, { data: {} }]) expect(readTemplatePage(answer)).toBeUndefined();
});
