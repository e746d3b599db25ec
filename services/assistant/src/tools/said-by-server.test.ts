import { expect, test } from 'vitest';
import { offerList } from './said-by-server.ts';

test('wrong weekday: a time is told with the weekday and the day of the store’s clock, in the language of the lead', () => {
  const offers = [{ starts_at: new Date('2026-11-28T12:00:00Z') }, { starts_at: new Date('2026-11-28T01:30:00Z') }];
  const reader = { language: 'pt-BR', timezone: 'America/Sao_Paulo' };
  expect(offerList(offers, reader)).toBe('1. sábado, 28 de novembro às 9:00\n2. sexta-feira, 27 de novembro às 22:30');
  expect(offerList(offers.slice(1), { language: 'es', timezone: 'Asia/Tokyo' })).toMatch(
    /^1\. sábado, 28 de noviembre/,
  );
});
