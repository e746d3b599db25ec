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
    // Negations and conditions.
    'Ainda não agendei nada. Qual horário prefere?',
    'Eu não marquei o seu horário ainda.',
    'Todavía no agendé tu turno.',
    'I have not booked anything yet.',
    'Quando o seu horário está confirmado, você recebe um lembrete.',
    'Si tu cita está confirmada, recibes un aviso.',
    'Once your appointment is confirmed, you get a reminder.',
    'Shall I look again if I booked the wrong day?',
    // The customer's words, and a question.
    'Você escreveu "já agendei com vocês", mas não encontro o horário.',
    'Usted dijo: «ya reservé», pero no lo encuentro.',
    'You said “I booked it last week”, but I find no appointment.',
    'O seu horário está confirmado? Vou verificar com a equipe.',
  ])('not: %s', (text) => expect(claims(text)).toBe(false));

  test.each([
    'Claro: "Já agendei o seu corte para amanhã."',
    '“I booked you for tomorrow.”',
    'Não se preocupe, já agendei o seu corte.',
    'Se precisar de algo, avise. Marquei para amanhã.',
    'Você escreveu "quero cortar o cabelo", então já agendei para amanhã.',
    "Don't worry, I've booked it.",
    'No te preocupes, ya reservé tu turno.',
    "I've already booked you for Friday.",
  ])('no form hides it: %s', (text) => expect(claims(text)).toBe(true));

  test.each([
    'Sim, já agendei o seu corte para sexta às 9h.',
    'Sí, ya reservé tu turno para el viernes.',
    "Yes, I've already booked your haircut for Friday.",
    'Seu horário está confirmado para sexta.',
  ])('what the lead has already may be named: %s', (text) => {
    expect(claims(text, [], [cancel])).toBe(false);
    expect(claims(text)).toBe(true);
  });

  test.each([
    'Cancelei o seu horário.',
    'Marquei também para sábado!',
    'Já cancelei o seu corte.',
    "I've rescheduled it.",
  ])('what was not done may not: %s', (text) => expect(claims(text, [], [cancel])).toBe(true));
});
