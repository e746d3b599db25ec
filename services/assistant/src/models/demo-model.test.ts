import type { ToolName } from '@mostrador/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { decide } from './demo-model.ts';
import type { ModelRequest, Tool } from './model.ts';

const passages = [
  {
    ...{
      document: { id: 'd', title: 'Preços' },
      text: 'Corte: R$ 60.',
      highlight: '',
      score: 1,
      ranks: { full_text: 1, vectors: null },
    },
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

/** A tool whose members are choices among ids. */
const tool = (name: ToolName, members: Record<string, readonly [id: string, label: string][]> = {}): Tool => ({
  ...{ name, description: '' },
  input: Type.Unsafe({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(members).map(([member, choices]) => [
        member,
        { anyOf: choices.map(([id, description]) => ({ const: id, description })) },
      ]),
    ),
  }),
});
// `now` is a Monday.
const offer: [string, string][] = [
  ['o1', 'Tuesday 2026-01-06 09:00, Corte'],
  ['o2', 'Tuesday 2026-01-06 10:30, Corte'],
];
const appointment: [string, string][] = [['a1', 'Friday 2026-01-09 14:00, Corte']];
const booking = {
  tools: [
    tool('find_times'),
    tool('book', { offer }),
    tool('move', { offer, appointment }),
    tool('cancel', { appointment }),
  ],
};

describe('the demo model uses tools', () => {
  test.each([
    ['quero marcar um horário amanhã', 'find_times', { from: '2026-01-06', to: '2026-01-06' }],
    [
      'quiero una cita el viernes por la tarde',
      'find_times',
      { from: '2026-01-09', to: '2026-01-09', part_of_day: 'afternoon' },
    ],
    ['I’d like to book an appointment', 'find_times', {}],
    ['can I reschedule?', 'find_times', {}],
    ['quero marcar amanhã às 15', 'find_times', { from: '2026-01-06', to: '2026-01-06', near: '15:00' }],
    ['quero marcar para 2 pessoas', 'find_times', {}],
    ['pode ser às 14h?', 'find_times', { from: '2026-01-06', to: '2026-01-06', near: '14:00' }],
    ['at 3 pm on Friday', 'find_times', { from: '2026-01-09', to: '2026-01-09', near: '15:00' }],
    ['a segunda opção', 'book', { offer: 'o2' }],
    ['quero cancelar', 'cancel', { appointment: 'a1' }],
  ])('%s', (text, name, input) => {
    expect(decide(request(text, booking))).toEqual({ action: 'use_tools', calls: [{ id: 'demo_1', name, input }] });
  });

  test('to move an appointment, when that is what the lead asked for', () => {
    const conversation = [{ from: 'lead', text: 'preciso remarcar', at: '2026-01-05T11:00:00.000Z' }] as const;
    expect(decide(request('10h30', { ...booking, conversation }))).toMatchObject({
      calls: [{ name: 'move', input: { appointment: 'a1', offer: 'o2' } }],
    });
  });

  test('to look for times for an appointment that is to move, also with the answer to the times for it', () => {
    const [, ...others] = booking.tools;
    const tools = [tool('find_times', { appointment }), ...others];
    const conversation = [{ from: 'lead', text: 'preciso remarcar', at: '2026-01-05T11:00:00.000Z' }] as const;
    const calls = (text: string, more: Partial<ModelRequest> = {}) => {
      const decision = decide(request(text, { tools, ...more }));
      return decision.action === 'use_tools' ? decision.calls.map(({ input }) => input) : decision;
    };
    expect(calls('can I reschedule?')).toEqual([{ appointment: 'a1' }]);
    const day = { from: '2026-01-06', to: '2026-01-06' };
    expect(calls('pode ser às 14h?', { conversation })).toEqual([{ ...day, near: '14:00', appointment: 'a1' }]);
    const results = [{ id: 'x', name: 'find_times', input: { appointment: 'a1' }, output: { times: [] } }] as const;
    expect(calls('can I reschedule?', { results })).toEqual([{ to: '2026-01-19', appointment: 'a1' }]);
    expect(calls('quero marcar um horário', { conversation })).toEqual([{}]);
  });

  test('not those that it is not offered', () => {
    const person = { action: 'hand_over', reason: 'nothing_found' };
    expect(decide(request('quero marcar um horário'))).toMatchObject(person);
    expect(decide(request('quero cancelar', { tools: [tool('find_times')] }))).toMatchObject(person);
    expect(decide(request('pode ser às 14h', { tools: [tool('find_times')] }))).toMatchObject({ action: 'reply' });
  });

  test('and asks which time, when the lead does not say it', () => {
    expect(decide(request('pode ser', booking))).toMatchObject({
      text: 'Qual dos horários? Pode responder com o número.',
    });
  });

  test('and searches further after an empty day, and then calls a person', () => {
    const found = (input: unknown) => ({ id: 'x', name: 'find_times', input, output: { times: [] } }) as const;
    const day = { from: '2026-01-06', to: '2026-01-06' };
    const results = [found(day)];
    const text = 'tem horário amanhã?';
    expect(decide(request(text, { ...booking, results }))).toMatchObject({ calls: [{ input: { to: '2026-01-19' } }] });
    results.push(found({ to: '2026-01-19' }));
    expect(decide(request(text, { ...booking, results }))).toMatchObject({
      action: 'hand_over',
      reason: 'nothing_found',
    });
  });
});

describe('the demo model', () => {
  test.each([
    ['quero um atendente', 'asked_for_person'],
    ['Posso falar com alguém?', 'asked_for_person'],
    ['quiero hablar con una persona', 'asked_for_person'],
    ['a human, please', 'asked_for_person'],
    ['Estou insatisfeita com o corte', 'agent_decided'],
    ['I am unhappy with the colour', 'agent_decided'],
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
    expect(decide(request('Não, obrigado'))).toEqual({ action: 'silent', reason: 'no_answer_needed' });
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

  test('quotes a document of Markdown as WhatsApp shows it, and its title once', () => {
    const [passage] = passages;
    const markdown = { ...passage, text: '# Preços\n\n**Corte**: R$ 60.\n- [lista](https://example.com/p)' };
    expect(decide(request('corte', { passages: [markdown as (typeof passages)[number]] }))).toMatchObject({
      text: 'Em “Preços” está escrito:\n*Corte*: R$ 60.\n- lista (https://example.com/p)',
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
