import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Saying, wordsOf } from './words-of.ts';

test.each<[string, Saying, string]>([
  ['a text', { body: ' Oi ' }, 'Oi'],
  ['a picture', { body: '', content: null }, ''],
  [
    'a place',
    { body: '', content: { latitude: -23.5, longitude: -46.6, name: 'Casa' } },
    '[location: Casa, -23.5 -46.6]',
  ],
  [
    'a contact',
    { body: '', content: { contacts: [{ name: 'Ana', organization: null, phones: ['+55 11 9'], emails: [] }] } },
    '[contact: Ana, +55 11 9]',
  ],
  [
    'an order',
    { body: 'Pode ser?', content: { items: [{ product_id: 'azul', quantity: 2, price: 10, currency: 'BRL' }] } },
    '[order: 2 x azul at 10 BRL]\nPode ser?',
  ],
  ['a form', { body: '', content: { kind: 'flow', fields: { flow_token: 'x', day: 'sexta' } } }, '[form: day = sexta]'],
  ['a product', { body: 'Tem?', content: { product: { product_id: 'azul' } } }, '[asks about the product: azul]\nTem?'],
  ['an ad', { body: 'Oi', content: { referral: { headline: 'Promo' } } }, '[comes from the ad: Promo]\nOi'],
  ['a quote', { body: 'Esse', reply_to_id: '1' }, '[quotes: Armação azul]\nEsse'],
  ['a picture that quotes', { body: '', reply_to_id: '1' }, ''],
])('%s is told in words', (_, message, words) => {
  expect(wordsOf(message, [{ id: '1', body: 'Armação\nazul' }])).toBe(words);
});

test('what a customer gives for a place closes no bracket, makes no line of its own and is short', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 3000 }), (name) => {
      const words = wordsOf({ body: '', content: { latitude: 1, longitude: 2, name, address: name } });
      expect(words).toMatch(/^\[location: [^[\]\n]*\]$/);
      expect([...words].length).toBeLessThan(700);
    }),
  );
});
