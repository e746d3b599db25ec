import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { localeOfLead } from './lead-locale.ts';

const lead = (text: string) => ({ from: 'lead' as const, text });

test.each([
  ['hola, quiero reservar un turno para mañana', 'es'],
  ['Do you have any slots tomorrow at 3 pm?', 'en'],
  ['combien coûte une coupe ?', 'fr'],
  ['quero marcar um horário amanhã', 'pt-BR'],
  ['quanto costa un taglio', 'it'],
  // As good Spanish, or a name.
  ...['sim, por favor', 'corte masculino', 'Ana Paula de Souza'].map((text) => [text, 'pt-BR']),
  // Nothing tells it.
  ...['ok', 'Maria', '10h', '👍', '', 'https://example.com'].map((text) => [text, 'pt-BR']),
])('%j to a store in pt-BR is %s', (text, locale) => {
  expect(localeOfLead('pt-BR', text as string, [])).toBe(locale);
});

test('a short answer is in the language of what the lead wrote before, and what the store wrote does not count', () => {
  const before = [
    lead('Hi, I want to book an appointment tomorrow'),
    { from: 'store' as const, text: 'Qual horário?' },
  ];
  expect(localeOfLead('pt-BR', '3 pm', before)).toBe('en');
  expect(localeOfLead('pt-BR', '3 pm', before.slice(1))).toBe('pt-BR');
});

test('a lead who changes the language is answered in the new one', () => {
  expect(localeOfLead('en', 'quiero hablar con una persona', [lead('I want to book for tomorrow')])).toBe('es');
});

test('nearly all customers of the evals are understood in a store of another language, and none in a wrong one', () => {
  const path = (language: string) => `${import.meta.dirname}/../../../../tests/evals/conversations/${language}.yaml`;
  const counts = { right: 0, untold: 0, wrong: 0 };
  for (const language of ['pt', 'es', 'en']) {
    for (const [, text = ''] of readFileSync(path(language), 'utf8').matchAll(/customer: \[\s*'?([^,'\]{]+)/g)) {
      const locale = localeOfLead('de', text, []);
      counts[locale === language ? 'right' : locale === 'de' ? 'untold' : 'wrong'] += 1;
    }
  }
  expect(counts.right).toBeGreaterThan(45);
  expect(counts.wrong).toBe(0);
});
