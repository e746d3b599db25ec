import { describe, expect, test } from 'vitest';
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
  ['Custa cinquenta reais.', 'Custa […].'],
  ['São cento e vinte e cinco reais', 'São […]'],
  ['It is fifty dollars!', 'It is […]!'],
  ['Only twenty-five bucks', 'Only […]'],
  ['Cuesta veintiún euros, o mil pesos', 'Cuesta […], o […]'],
  ['Por um real!', 'Por […]!'],
  ['Sai por quarenta.', 'Sai por […].'],
  ['Just forty', 'Just […]'],
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
  'Sessenta reais o corte, trinta e cinco a barba, dois mil reais a festa.',
  'Sixty reais, or sai por sessenta.',
  'Um real prazer! Só um minuto, por vinte minutos, para duas pessoas. Só dois? Por uma hora.',
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
  for (const part of ['1', '1 ', '111.', '$', '$ ', '111 ', 'mil ', 'um e ', 'veinti'])
    removeUnknownPrices(part.repeat(8_192), [part.repeat(8_192)]);
});

test('a source may have a price in words', () => {
  const document = 'O corte custa setenta reais. Barba por trinta.';
  expect(removeUnknownPrices('R$ 70, R$ 30, setenta reais, R$ 40', [document])).toBe(
    'R$ 70, R$ 30, setenta reais, […]',
  );
});

describe('a number of a document permits a price only where prices stand', () => {
  const document =
    'Temos 1 vaga e 12 cadeiras.\nRua Augusta, 150. Tel. (11) 3456-7890, ramal 22.\nDesde 2015.\nPreços (reais):\n- Corte 60\n- Barba 35\n\n' +
    'Sala 7 no 3 andar.\n| Serviço | Valor |\n| Festa | 1.250 |\nO sinal é de 20.';
  test.each(['R$ 1', 'R$ 12', 'R$ 150', 'R$ 3456', 'R$ 7890', 'R$ 22', 'R$ 7', 'R$ 3'])('not %s', (price) => {
    expect(removeUnknownPrices(price, [document])).toBe('[…]');
  });
  test.each(['R$ 60', 'R$ 35', 'R$ 1.250,00', 'R$ 20'])('%s', (price) => {
    expect(removeUnknownPrices(price, [document])).toBe(price);
  });
});

describe('a promise that stands in no passage is removed', () => {
  test.each([
    ['O corte é grátis!', 'O corte é […]!'],
    ['Fazemos de graça.', 'Fazemos […].'],
    ['A barba sai gratuita.', 'A barba sai […].'],
    ['It is free.', 'It is […].'],
    ['The haircut is free today', 'The haircut is […] today'],
    ['Es gratis.', 'Es […].'],
    ['A lavagem é cortesia.', 'A lavagem é […].'],
    ['Damos 50% de desconto.', 'Damos […].'],
    ['You get 20% off.', 'You get […].'],
    ['Un descuento del día: 10 % de descuento', 'Un descuento del día: […]'],
    ['Desconto de 30%!', '[…]!'],
    ['Sai por 10.', 'Sai por […].'],
    ['Por apenas 10!', 'Por apenas […]!'],
    ['It costs only 10.', 'It costs only […].'],
    ['Fica por 99,90', 'Fica por […]'],
    ['On the house!', '[…]!'],
  ])('%s', (text, shown) => {
    expect(removeUnknownPrices(text, [source])).toBe(shown);
  });

  test.each([
    ...[
      'Não é grátis.',
      'Feel free to ask.',
      'We have free times tomorrow.',
      'Are you free on Friday?',
      'Não temos desconto.',
    ],
    ...[
      'Dura só 45 minutos.',
      'Abrimos só 3 dias.',
      'Por 60 minutos.',
      'Só às 10.',
      'Sai por 60.',
      'Por apenas 35 reais.',
      'No es gratis.',
    ],
    ...[
      '100% algodão',
      'Só 2 pessoas.',
      'Fica na sala 3.',
      'Let me know if you are free.',
      'Só 10h ou 11h',
      'O horário fica livre às 9.',
    ],
  ])('and nothing else: %s', (text) => {
    expect(removeUnknownPrices(text, [source])).toBe(text);
  });

  test.each([
    ['A lavagem é grátis.', 'Lavagem grátis com o corte.'],
    ['Temos 10% de desconto.', 'No Pix, 10 % de desconto.'],
    ['It is on the house.', 'The coffee is free.'],
  ])('a source may have it: %s', (text, document) => {
    expect(removeUnknownPrices(text, [document])).toBe(text);
    expect(removeUnknownPrices(text, [], [document])).toBe(text);
  });
});
