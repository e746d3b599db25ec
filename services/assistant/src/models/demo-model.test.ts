import { describe, expect, test } from 'vitest';
import { decide } from './demo-model.ts';
import type { ModelRequest } from './model.ts';

const passages = [
  {
    ...{ document: { id: 'd', title: 'Preços' }, text: 'Corte: R$ 60.', highlight: '', score: 1 },
  },
];
const agent = {
  ...{ name: 'Ana', language: 'pt-BR', disclosure: true, instructions: null, tone: null, handover_when: null },
} as const;
const request = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ agent, locale: 'en', text, passages, isFirst: false, conversation: [], tools: [], results: [] },
  ...{ now: '2026-01-05T12:00:00.000Z', timezone: 'America/Sao_Paulo' },
  ...more,
});

describe('the demo model', () => {
  test.each([
    ['quero um atendente', 'asked_for_person'],
    ['Posso falar com alguém?', 'asked_for_person'],
    ['quiero hablar con una persona', 'asked_for_person'],
    ['a human, please', 'asked_for_person'],
  ])('hands over: %s', (text, reason) => {
    expect(decide(request(text))).toMatchObject({ action: 'hand_over', reason });
  });

  test.each(['quanto é por pessoa?', 'precio por persona', 'how much per person?'])(
    'asks for no person: %s',
    (text) => {
      expect(decide(request(text))).toMatchObject({ action: 'reply', usedPassages: [0] });
    },
  );

  test('hands over what it finds no passage for', () => {
    const decision = decide(request('Vocês abrem no feriado?', { passages: [] }));
    expect(decision).toMatchObject({ action: 'hand_over', reason: 'nothing_found' });
  });

  test('greets a greeting, also where it finds passages, and is silent after thanks', () => {
    expect(decide(request('Bom dia!'))).toMatchObject({ action: 'reply', usedPassages: [] });
    expect(decide(request('Obrigada!'))).toEqual({ action: 'silent', reason: 'no_answer_needed' });
  });

  test.each([
    ['pt-BR', 'Em “Preços” está escrito:\nCorte: R$ 60.'],
    ['es', 'En “Preços” dice:\nCorte: R$ 60.'],
    ['de', '“Preços” says:\nCorte: R$ 60.'],
  ])('quotes the best passage in the language %s', (language, text) => {
    expect(decide(request('corte', { agent: { ...agent, language } }))).toEqual({
      action: 'reply',
      text,
      usedPassages: [0],
    });
  });

  test('says its name at first, and that it is an AI unless the agent does not disclose that', () => {
    const anonymous = { ...agent, language: null, disclosure: false };
    expect(decide(request('hello', { agent: anonymous, isFirst: true }))).toMatchObject({
      text: 'Hello, this is Ana. How can I help?',
    });
    expect(decide(request('corte', { isFirst: true }))).toMatchObject({
      text: expect.stringContaining('assistente de IA'),
    });
  });
});
