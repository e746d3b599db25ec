import { toolNames } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { passage } from '../../test/assistant.ts';
import { modelRequest } from '../../test/model-request.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import { toDecision } from './answer.ts';
import { untoldTime } from './untold-times.ts';

// A Thursday. Offered: Friday at 10:00 and Saturday at 14:30. Booked: Monday at 16:00.
const tools = offeredTools(
  {
    ...{ books: true, services: [], timezone: 'America/Sao_Paulo' },
    offers: [
      { id: 'o1', starts_at: new Date('2026-11-27T13:00:00Z'), title: 'Corte' },
      { id: 'o2', starts_at: new Date('2026-11-28T17:30:00Z'), title: 'Corte' },
    ],
    appointments: [{ id: 'a', title: 'Corte', scheduled_at: '2026-11-30T19:00:00Z' }],
  },
  toolNames,
);
const request = modelRequest({
  ...{ tools, timezone: 'America/Sao_Paulo', now: '2026-11-26T15:00:00.000Z', text: 'tem na quarta às 11h?' },
  passages: [passage('Horários', 'Segunda a sexta: 9h às 18h. Sábado: 9 - 13h.')],
  conversation: [{ from: 'store', text: '1. terça-feira, 1 de dezembro às 17:00', at: '2026-11-25T15:00:00Z' }],
});

describe('a time that was not offered is not told', () => {
  test.each([
    ...[
      'Temos amanhã às 15h.',
      'Pode ser sexta às 14:30?',
      'Consigo sábado às 10h.',
      'Te espero mañana a las 3 de la tarde.',
    ],
    ...[
      'We have tomorrow at 3 pm.',
      'Dia 27 às 16h está livre.',
      'Na terça às 17h30 ou às 16h.',
      'Quinta às 17:00 pode ser?',
    ],
    ...['Tomorrow at noon works.', 'Seu horário é segunda às 17h.', 'Amanhã às três da tarde.'],
    ...['Sexta, dia 12, às 10h.', 'Amanhã, sábado.', 'Friday, November 28.'],
    // Without a day.
    ...[
      'Pode ser às 15h?',
      'Tenho 15h livre.',
      'Te espero às três.',
      'Nos vemos a las 3 de la tarde.',
      'How about 3 pm?',
    ],
    ...['Então às 20:30.', 'See you at noon!', 'Das 10h às 15h estou livre.'],
  ])('%s', (text) => {
    expect(untoldTime(text, request)).toBeDefined();
    expect(() => toDecision({ action: 'reply', text, used_passages: [] }, request)).toThrow('malformed');
    expect(toDecision({ action: 'hand_over', text, used_passages: [] }, request)).toMatchObject({
      text: expect.stringContaining('pessoa da equipe'),
    });
  });

  test.each([
    ...[
      'Temos amanhã às 10h.',
      'Sábado às 14:30 ou sexta às 10:00?',
      'Seu horário é segunda às 16h.',
      'Terça às 17h está bom?',
    ],
    ...[
      'Abrimos de segunda a sexta das 9h às 18h.',
      'Amanhã abrimos às 9h.',
      'Sábado até as 13h.',
      'Na quarta às 11h não temos.',
    ],
    ...[
      'Na quarta às 11h, vou ver.',
      'Tomorrow at 10 am is free.',
      'Sexta, dia 27, às 10h.',
      'Às 15h não sei.',
      'Amanhã às 20h estamos fechados.',
    ],
    ...[
      'Custa R$ 60 na sexta.',
      'Amanhã respondo em 2 horas.',
      'Avise com 24h de antecedência até sexta.',
      'Qual dia prefere?',
    ],
    // Without a day.
    ...['Pode ser às 10h?', 'Às 14:30 ou às 10.', 'Te espero às 16h.', 'Atendemos das 9h às 18h.', 'Às 17h está bom?'],
    ...['O corte dura 1h.', 'Leva 2h30.', 'Respondo em até 2h.', 'Escolha uma das 3.', 'Veja as 3 opções.'],
    ...['Estamos na Rua Augusta, 15.', 'We are at 15 Main Street.', 'Às 15h não temos.', "We aren't open at 3 am."],
    ...['Custa R$ 15.', 'Ligue (11) 3456-1500.', 'De 15 a 20 minutos.', 'São 2 horas de duração.'],
  ])('not: %s', (text) => {
    expect(untoldTime(text, request)).toBeUndefined();
  });
});

test('what a search of this turn has found may be named', () => {
  const results = [
    {
      id: '1',
      name: 'find_times' as const,
      input: {},
      output: { times: [{ offer: 'o', label: 'Wednesday 2026-12-02 08:00' }] },
    },
  ];
  expect(untoldTime('Quarta, 2 de dezembro, às 8h.', { ...request, results })).toBeUndefined();
  expect(untoldTime('Quarta, 2 de dezembro, às 8h.', request)).toBeDefined();
});
