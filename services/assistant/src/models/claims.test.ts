import { describe, expect, test } from 'vitest';
import { claimsWithoutRow } from './claims.ts';
import type { Tool, ToolResult } from './model.ts';

const booked: ToolResult = { id: '1', name: 'book', input: {}, output: { appointment: {} } };
const refused: ToolResult = { ...booked, output: { error: 'not_offered' } };
const cancel = { name: 'cancel' } as Tool;
const claims = (text: string, results: readonly ToolResult[] = [], tools: readonly Tool[] = []) =>
  claimsWithoutRow(text, { results, tools });

describe('claims a booking without a row', () => {
  test.each([
    'Pronto, marquei para amanhã às 9h!',
    'Já agendei o seu corte.',
    'Acabei de cancelar o seu horário.',
    'Seu horário está confirmado para sexta.',
    'Agendamento confirmado!',
    'Ok.\nMarcado!',
    'Ya reservé tu turno para mañana.',
    'Tu cita quedó confirmada.',
    "I've booked you for tomorrow.",
    'Your appointment is confirmed for 3 pm.',
    "You're all booked!",
  ])('%s', (text) => {
    expect(claims(text)).toBe(true);
    expect(claims(text, [refused])).toBe(true);
    expect(claims(text, [booked])).toBe(false);
  });

  test.each([
    'Posso marcar para amanhã?',
    'Esse horário já está reservado. Pode ser às 10?',
    'Para cancelar, avise até um dia antes.',
    'Os horários marcados aparecem aqui.',
    'Ese turno ya está reservado.',
    'That time is booked. Is 3 pm fine?',
    'Would you like me to book it?',
    'Custa R$ 60.',
  ])('not: %s', (text) => expect(claims(text)).toBe(false));

  test('what the lead has already may be named, and what was not done may not', () => {
    expect(claims('Seu horário está confirmado para sexta.', [], [cancel])).toBe(false);
    expect(claims('Cancelei o seu horário.', [], [cancel])).toBe(true);
  });
});
