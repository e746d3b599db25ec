import { describe, expect, test } from 'vitest';
import { replyText } from './reply-text.ts';

const clean = (text: string, ...sources: string[]) => replyText(text, sources);
const pix =
  '00020126580014br.gov.bcb.pix0136123e4567-e89b-12d3-a456-426614174000520400005303986540560.005802BR5913Loja_da_Ana*6009SAO PAULO62070503***6304A13F';

describe('reasoning is not sent to the customer', () => {
  test.each([
    ['<think>He wants 10 %. No.</think>\nO corte custa R$ 60.'],
    ['<thinking mode="long">a\n\nb</thinking>O corte custa R$ 60.'],
    ['He wants 10 %.\n</think>\nO corte custa R$ 60.'],
    ['O corte custa R$ 60.\n<think>and now'],
    ['[THINK]a[/THINK]O corte custa R$ 60.'],
    ['Hm. <think>a <analysis>b</analysis> c</think>O corte custa R$ 60.'],
    ['<|channel|>analysis<|message|>He wants<|end|><|start|>assistant<|channel|>final<|message|>O corte custa R$ 60.'],
  ])('%s', (written) => {
    expect(clean(written)).toBe('O corte custa R$ 60.');
  });
});

describe('Markdown becomes the marks of WhatsApp', () => {
  test.each([
    ['**Corte**: R$ 60', '*Corte*: R$ 60'],
    ['__Corte__ e ~~barba~~', '*Corte* e ~barba~'],
    ['***muito*** bom', '*_muito_* bom'],
    ['*Corte* e _barba_ ficam', '*Corte* e _barba_ ficam'],
    ['## Preços ##\nCorte', '*Preços*\nCorte'],
    ['* Corte\n+ Barba\n- Lavagem', '- Corte\n- Barba\n- Lavagem'],
    ['1. Corte\n2. Barba', '1. Corte\n2. Barba'],
    ['a\n\n---\n\n\n\nb', 'a\n\nb'],
    ['| Serviço | Preço |\n|---|---|\n| Corte | R$ 60 |', 'Serviço · Preço\nCorte · R$ 60'],
    ['| Serviço | Preço |\r\n| :-- | --: |\r\n| Corte | R$ 60 |', 'Serviço · Preço\nCorte · R$ 60'],
    ['  # Preços # 1 ###\n##  \nCorte', '*Preços # 1*\n\nCorte'],
    ['um\\*dois\\_tres', 'um*dois_tres'],
    ['a<br>b', 'a\nb'],
    ['Use `AB_12*` hoje', 'Use AB_12* hoje'],
    ['```txt\nAB__12__\n```', '```AB__12__```'],
    ['snake_case_name e 2 * 3 * 4', 'snake_case_name e 2 * 3 * 4'],
  ])('%j → %j', (written, shown) => {
    expect(clean(written)).toBe(shown);
  });
});

test('Markdown shown raw, Pix code altered: a Pix code is copied exactly, with its spaces, stars and lines', () => {
  expect(clean(`Copie o **código**:\n${pix}`, `Pix: ${pix}`)).toBe(`Copie o *código*:\n${pix}`);
  const code = 'PED**2026**0001__X__9988776655';
  expect(clean(`O código é ${code}`, code)).toBe(`O código é ${code}`);
});

describe('what stands in no passage is removed', () => {
  test.each([
    ['Pague em https://evil.example/pix?x=1.', 'Pague em […].'],
    ['Veja [o catálogo](http://evil.example/a_b)!', 'Veja o catálogo ([…])!'],
    ['Veja <https://evil.example>', 'Veja […]'],
    ['Fale com www.evil.com/oi ou wa.me/5511999990000', 'Fale com […] ou […]'],
    ['Escreva a ana@evil.com', 'Escreva a […]'],
    ['Ligue para +55 (11) 98888-7777 já', 'Ligue para […] já'],
    ['Ligue: 11 98888 7777', 'Ligue: […]'],
    ['Ligue: 912 34 56 78', 'Ligue: […]'],
    ['Pix: 123e4567-e89b-12d3-a456-426614174000', 'Pix: […]'],
    ['CPF 123.456.789-09, CNPJ 12.345.678/0001-95', 'CPF […], CNPJ […]'],
    [`Copie: ${pix}`, 'Copie: […]'],
    ['ht\u200btps://evil.example/x', '[…]'],
    ['tel:+5511988887777', '[…]'],
  ])('%j → %j', (written, shown) => {
    expect(clean(written, 'Corte: R$ 60. Site: https://loja.example')).toBe(shown);
  });

  test.each([
    'Amanhã, 27/11/2026, das 09:00 às 18:00.',
    'Em 2026-11-27 ou 27.11.2026 ou 27-11-2026.',
    'Horários: 9 10 11 14 15 16 17',
    'Custa R$ 1.250.000,00 ou R$ 60.',
    'Pedido 12345.',
    'Obrigado.Até logo. Sr.João',
  ])('and nothing else: %s', (written) => {
    expect(clean(written)).toBe(written);
  });

  test('what stands in a passage stays, also in another writing', () => {
    const source = 'Site https://www.loja.example/agenda/ · tel. (11) 3456-7890 · pix ana@loja.example';
    const written = 'Veja loja.example/agenda, http://loja.example/agenda, +55 11 3456 7890, ana@loja.example.';
    expect(clean(written.replaceAll('loja.example', 'loja.com'), source.replaceAll('loja.example', 'loja.com'))).toBe(
      written.replaceAll('loja.example', 'loja.com'),
    );
  });

  test('a link that only begins like a known one is another link', () => {
    expect(clean('https://loja.com.evil.net/a https://loja.com/b', 'https://loja.com')).toBe('[…] […]');
  });
});

// Patterns whose work grows with the cube of the length take minutes for the first of these.
test.each([
  ['lines', '\n'],
  ['spaces', ' '],
  ['lines of a table', '|\n'],
  ['cells', '| '],
  ['heading', '# '],
  ['thoughts', '<think'],
  ['links', '[](  '],
])('a text of nothing but %s costs little', (_, part) => {
  const many = part.repeat(8_192 / part.length);
  for (const written of [`a${many}b`, `#${many}b`, `|${many}b`, `[](${many}b`])
    expect(clean(written).slice(-2)).toContain('b');
});

test('thoughts without an end leave nothing', () => {
  expect(clean('<think>'.repeat(8_000))).toBe('');
  expect(clean('[THINK]'.repeat(8_000))).toBe('');
});

test.each([
  ['ｅｖｉｌ．ｃｏｍ/pix', '[…]'],
  ['𝐞𝐯𝐢𝐥.𝐜𝐨𝐦', '[…]'],
  ['Ligue +٥٥ ١١ ٩٧٧٧٧-٦٦٦٦', 'Ligue […]'],
  ['Ligue ９７７７７－６６６６', 'Ligue […]'],
  ['às ९:३० ou às ۱۵h', 'às 9:30 ou às 15h'],
])('letters and digits that only look different hide nothing: %s', (written, text) => {
  expect(replyText(written, [])).toBe(text);
});

test('emoji keep their joiners', () => {
  expect(clean('Olá 👩‍💻')).toBe('Olá 👩‍💻');
});
