import { toolNames } from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { passage } from '../../test/assistant.ts';
import { modelRequest } from '../../test/model-request.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { toDecision } from './answer.ts';
import { takesOffer } from './takes-offer.ts';

// A Thursday. Offered: Friday at 10:00 and Saturday at 14:30. Booked: Monday at 16:00.
const offering = {
  ...{ books: true, services: [], timezone: 'America/Sao_Paulo' },
  offers: [
    { id: 'o1', starts_at: new Date('2026-11-27T13:00:00Z'), title: 'Corte' },
    { id: 'o2', starts_at: new Date('2026-11-28T17:30:00Z'), title: 'Corte' },
  ],
  appointments: [{ id: 'a', title: 'Corte', scheduled_at: '2026-11-30T19:00:00Z' }],
};
const request = modelRequest({
  ...{ tools: offeredTools(offering, toolNames), timezone: 'America/Sao_Paulo', now: '2026-11-26T15:00:00.000Z' },
  ...{ text: 'amanhã às 10h está ótimo', passages: [passage('Horários', 'Segunda a sexta: 9h às 18h.')] },
});

test.each([
  ...['Te espero amanhã às 10h!', 'Combinado: sexta às 10h.', 'Fechado, às 10h então!', 'Até sábado às 14:30!'],
  ...['Perfeito! A cadeira é sua amanhã às 10h.', 'Nos vemos mañana a las 10.', 'Listo, el sábado a las 14:30.'],
  ...['See you tomorrow at 10 am!', 'All set for Friday at 10 am.', "You're good to go at 2:30 pm.", 'Lancei às 10h.'],
  ...['A Ana vai te atender amanhã às 10h. Precisa de mais alguma informação sobre o corte?'],
])('an offered time is not taken as agreed before it is booked: %s', (text) => {
  expect(takesOffer(text, request)).toBe(true);
  expect(() => toDecision({ action: 'reply', text, used_passages: [] }, request)).toThrow('malformed');
  const output = { appointment: { scheduled_at: '2026-11-27T13:00:00.000Z' } };
  expect(takesOffer(text, { ...request, results: [{ id: '1', name: 'book', input: {}, output }] })).toBe(false);
});

test.each([
  ...['Temos amanhã às 10h.', 'Amanhã às 10h está livre.', 'Pode ser amanhã às 10h?', 'Amanhã às 10h. Pode ser?'],
  ...['Sexta às 10h ou sábado às 14:30.', 'Sexta às 10h.\nSábado às 14:30.', 'Tomorrow at 10 am is free.'],
  ...['Te espero segunda às 16h!', 'Abrimos às 9h.', 'Amanhã não temos às 10h.', 'Responda 1 para amanhã às 10h.'],
  ...['Se quiser amanhã às 10h, me diga.', 'El sábado a las 14:30 está disponible.', 'Até amanhã!', 'O corte dura 1h.'],
  ...['Confirma para amanhã às 10h.', 'Quer que eu marque amanhã às 10h?', 'We can do tomorrow at 10 am.'],
])('not: %s', (text) => expect(takesOffer(text, request)).toBe(false));
