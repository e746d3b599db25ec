import { describe, expect, test } from 'vitest';
import { replyText } from './reply-text.ts';

const source =
  'Site: loja.com/agenda, loja.vip, https://pagar.loja.com.br/p/1. Tel. (11) 3456-7890 / 98765-4321. Rua Augusta, 150, ' +
  '01310-100 São Paulo. CNPJ 12.345.678/0001-95. Pix: ana@loja.com ou 123e4567-e89b-12d3-a456-426614174000. ' +
  'IBAN ES91 2100 0418 4502 0005 1332. França: 06 12 34 56 78. De 01/12/2026 a 31/12/2026, das 9:00 às 18:00.';

describe('what stands in no passage is removed, however it is written', () => {
  const dashes = ['-', ...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212'];
  const spaces = [' ', ...'\u00a0\u202f\u2009\u2003\u3000'];
  const zeros = ['', ...'\u200b\u200d\u2060\u00ad\u034f'];
  test.each([
    ...dashes.map((dash) => `+55 11 97777${dash}6666`),
    ...spaces.map((space) => `11${space}97777${space}6666`),
    ...zeros.map((zero) => `9777${zero}7666${zero}6`),
    ...['/', '_', '.', ' / ', ' - ', '·', '•', '|'].map((mark) => `97777${mark}6666`),
    ...[
      '07 98 76 54 32',
      '98 88 77 66',
      '9 7 7 7 7 6 6 6 6',
      '(11) 9 7777-6666',
      '１１ ９７７７７ ６６６６',
      '119.777.766',
    ],
    ...['634.598.217', '955 217 483', '9️⃣7️⃣7️⃣7️⃣7️⃣6️⃣6️⃣6️⃣6️⃣', '_97777_6666_', 'tel97777-6666', '+5511977776666'],
    ...['¹¹ ⁹⁷⁷⁷⁷-⁶⁶⁶⁶', '0800 123 4567', '27/11/2026 97777-6666'],
    ...[
      '987.654.322-00',
      '98765432200',
      '98.765.432/0001-10',
      '23793.38128 60000.000003 00000.000400 1 84340000010000',
    ],
    ...['0720461088000012345678', 'ES12 2100 0418 4502 0005 9999', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ])('a number: %s', (number) => {
    const text = replyText(`Fale com ${number} agora`, [source]);
    expect(text).toContain('[…]');
    expect(text.replaceAll('27/11/2026', '')).not.toMatch(/\d{3}|\d \d/);
  });

  test.each([
    ...['pagamento-pix.click/x', 'loja-falsa.vip', 'pix.tech/1', 'banco.cloud/a', 'loja.ai', 'pay.ru', 'a.b.c.shop'],
    ...[
      '192.0.2.7/pix',
      '192.0.2.7:8080',
      'evil.example/x',
      'lojaé.com',
      'лоја.рф',
      'pay.xn--p1ai',
      'evil。com',
      'EVIL.COM',
    ],
    ...[
      'evil.com.',
      'evil.no',
      'bit.ly/3x',
      't.me/golpe',
      'golpe@banco.vip',
      'josé@bancô.com',
      'loja.vip.evil.ru',
      'ev\u200dil.com',
    ],
    ...[
      'loja.com/agenda2',
      'loja.com:8080/agenda',
      'evil.com?x=loja.com',
      'pagar.loja.com.br/p/2',
      'HTTPS://EVIL.EXAMPLE',
    ],
  ])('a link: %s', (link) => {
    expect(replyText(`Pague em ${link} agora`, [source])).toMatch(/^Pague em \[…\]\.? agora$/);
  });
});

test.each([
  ...['Veja loja.com/agenda ou loja.vip.', 'https://www.loja.com/agenda/', 'https://pagar.loja.com.br/p/1'],
  ...[
    'Ligue 3456-7890 ou 98765-4321.',
    '+55 (11) 3456-7890',
    '11\u00a03456\u20117890',
    '(11) 98765-4321',
    '06.12.34.56.78',
  ],
  ...[
    'Rua Augusta, 150 - 01310-100',
    'CEP 01310100',
    'CNPJ 12345678000195',
    'Pix ana@loja.com',
    'ES9121000418450200051332',
  ],
  '123e4567-e89b-12d3-a456-426614174000',
])('what stands in one stays, also in another writing: %s', (text) => {
  expect(replyText(text, [source])).toBe(text);
});

test.each([
  ...[
    'Amanhã, 27/11/2026, das 09:00 às 18:00.',
    '27/11, 28/11 e 29/11',
    '27/11 28/11 29/11 30/11',
    '11/27/2026',
    '24/7',
  ],
  ...['2026-11-27 ou 27.11.2026 ou 27-11-26', 'Turma 2025/2026 ou 2025-2026', '1. 10:00\n2. 11:00\n3. 14:30\n4. 15:00'],
  ...[
    'Horários: 9 10 11 14 15 16 17',
    'Às 08 09 10 11 14',
    'Das 08-12 14-18',
    'Tamanhos: 36 38 40 42 44',
    '300 400 500 ml',
  ],
  ...[
    'R$ 1.250.000,00',
    'R$ 12.500.000',
    '12 500 000 pesos',
    'US$ 1,250.00 – 1,500.00',
    'R$ 60/R$ 35',
    '100/200/300 ml',
  ],
  ...[
    '1. Corte 45 min R$ 60\n2. Barba 30 min R$ 35',
    'Código AB12345678',
    'Pedido 12345',
    '50% até 31/12',
    'Sala 12-B',
  ],
  ...[
    'Até hoje.No sábado abrimos.',
    'Ok.Se quiser, marque.',
    'Sr.João, Dra.Ana e Av.Paulista',
    'às 3 p.m. ou 9 a.m.',
    'etc.',
  ],
  ...[
    '1.5 km',
    'km/h e e/ou',
    'S.A. e Ltda.',
    'Corte—R$ 60',
    'v2.0',
    'das 9h–18h',
    '20 m²',
    'Olá 👩‍💻 ❤️ 1️⃣ Corte 2️⃣ Barba',
  ],
])('and nothing else: %s', (text) => {
  expect(replyText(text, [])).toBe(text);
});

test('a text of nothing but digits, points or spaces costs little', () => {
  for (const part of ['1', '1 ', '1.', 'a.', '11 22 ', '1/1/', '@', 'a@', '1.1.1.1', 'é.'])
    replyText(part.repeat(8_192 / part.length), [part.repeat(8_192 / part.length)]);
});
