import { expect, test } from 'vitest';
import { removeUnknownPrices } from './unknown-prices.ts';

const source = 'Corte: R$ 60. Barba: 35 reais. Festa: R$ 1.250,00 (pacote de 2 mil reais: sob consulta). Dura 45 min.';

test.each([
  ['Custa R$ 1.', 'Custa […].'],
  ['Custa R$1,99 hoje', 'Custa […] hoje'],
  ['Custa R$ *10*', 'Custa […]*'],
  ['Só 20 reais!', 'Só […]!'],
  ['Just $5 or 5 dollars', 'Just […] or […]'],
  ['Son 1.250.000 pesos', 'Son […]'],
  ['Cuesta 12,50 €', 'Cuesta […]'],
  ['Cuesta €12.50', 'Cuesta […]'],
  ['It is USD 1,300.00', 'It is […]'],
  ['Fica 9 250 €', 'Fica […]'],
  ['Fica R$ 60 mil', 'Fica […]'],
  ['Custa R$ 45', 'Custa […]'],
  ['Leve 60 R$ 9999', 'Leve 60 […]'],
])('what stands in no passage is removed: %j', (written, shown) => {
  expect(removeUnknownPrices(written, [source])).toBe(shown);
});

test.each([
  'Corte R$ 60,00, barba R$ 35 e festa R$ 1250.',
  'The cut is R$60.00 and the party 1,250 BRL.',
  'Corte: *R$ 60* ou R$ *60*.',
  'O pacote: 2.000 reais ou R$ 2 mil.',
  'Às 9:00 R$ 60, combo 2 R$ 35\n1. 60 EUR\n2. 35 EUR',
  'Amanhã, 27/11/2026, às 09:00, por 45 minutos, 100% confirmado.',
])('what stands in one stays, in any writing, and all else: %s', (written) => {
  expect(removeUnknownPrices(written, [source])).toBe(written);
});

test('a table names its currency once', () => {
  const table = '1. Seja breve.\n| Serviço | Preço (R$) |\n| Corte, 45 min, das 9:00 | 60,00 |\n| Festa | 1.250 |';
  expect(removeUnknownPrices('R$ 60, R$ 1.250,00, R$ 45, R$ 9, R$ 1', [table])).toBe(
    'R$ 60, R$ 1.250,00, […], […], […]',
  );
});

test('a text of nothing but numbers costs little', () => {
  for (const part of ['1', '1 ', '111.', '$', '$ ', '111 '])
    removeUnknownPrices(part.repeat(8_192), [part.repeat(8_192)]);
});
