import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { explainMessage, fenceTurns, updateAssistantSettings } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { otherAgent, passage, startAssistant, type TestAssistant } from '../../test/assistant.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

const prices = passage('Preços', 'Corte: R$ 60.');
const ended = (reason: string) => ({ done: true, wake_at: null, reason });
const after = (moment: string, seconds: number) => new Date(Date.parse(moment) + seconds * 1000).toISOString();

test('several replies to a burst: several messages get one answer, when the lead has been quiet', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 6 });
  store.world.passages = [prices];
  await store.write('Oi', { secondsAgo: 9 });
  await store.write('quanto custa', { secondsAgo: 8 });
  const last = await store.write('o corte?');
  expect(await store.step()).toEqual({
    ...{ done: false, wake_at: after(last.received_at, 6), reason: 'the lead may write more' },
  });
  expect(store.world.calls).toBe(0);
  await assistant.adminSql`
    update ai_turns set next_attempt_at = now() - interval '1 second' where store_id = ${store.storeId}`;
  expect(await store.drain()).toEqual(ended('sent'));
  expect(store.world.accepted).toHaveLength(1);
  const [turn] = await store.turns();
  expect(store.world.accepted[0]).toMatchObject({
    id: turn?.id,
    lead_id: store.leadId,
    source: 'ai',
    hands_over: false,
    unless_reply_after: last.received_at,
  });
  expect(store.world.accepted[0]?.message).toContain('Em “Preços” está escrito:\nCorte: R$ 60.');
  expect(store.world.accepted[0]?.message).toContain('Olá, aqui é Ana, a assistente de IA da loja');
  expect(turn).toMatchObject({ state: 'sent', reply: null, model: 'demo', agent_name: 'Ana' });
  expect(await store.feed()).toEqual([
    {
      type: 'assistant.replied',
      data: { lead_id: store.leadId, message_id: turn?.id, agent_id: turn?.agent_id },
    },
  ]);
});

test('the workflow of a turn starts when the lead has been quiet, and once', async () => {
  const writing = await assistant.openStore({ ai_quiet_seconds: 60, ai_max_wait_seconds: 60 });
  await writing.write('oi');
  const quiet = await Promise.all([1, 2].map(() => assistant.openStore({ ai_quiet_seconds: 0 })));
  for (const store of quiet) {
    await store.write('oi');
    await expect.poll(store.wakeUps).toHaveLength(1);
  }
  for (const { wakeUps, leadId } of quiet) {
    expect(await wakeUps()).toEqual([{ topic: 'reply', entity_id: leadId, signal: 'received' }]);
  }
  expect(await writing.wakeUps()).toEqual([]);
  expect(await writing.turns()).toMatchObject([{ state: 'open', started_at: null }]);
});

test('the end of the longest wait comes before quiet', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 6, ai_max_wait_seconds: 10 });
  const first = await store.write('um', { secondsAgo: 8 });
  await store.write('dois');
  expect(await store.step()).toMatchObject({ wake_at: after(first.received_at, 10) });
});

test('a newer message supersedes the answer, and the next turn answers everything', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 1 });
  store.world.passages = [prices];
  const first = await store.write('quanto custa', { secondsAgo: 3 });
  store.world.thinking = async () => {
    store.world.thinking = async () => {};
    // Its event comes late.
    await store.write('o corte?', { told: false });
  };
  const waits = await store.drain();
  expect(waits).toMatchObject({ done: false, reason: 'the lead may write more' });
  expect(store.world.accepted).toEqual([]);
  const [, next] = await store.turns();
  expect(next).toMatchObject({ state: 'open', first_received_at: new Date(first.received_at) });
  await assistant.adminSql`update ai_turns set next_attempt_at = now() - interval '1 second' where id = ${next?.id}`;
  expect(await store.drain()).toEqual(ended('sent'));
  expect((await store.turns()).map(({ state }) => state)).toEqual(['superseded', 'sent']);
  expect(store.world.accepted).toHaveLength(1);
  expect((await store.feed()).map(({ type }) => type)).toEqual(['assistant.replied']);
  // The late event is about a message that is answered.
  const { id: message_id, created_at: received_at } = store.world.messages.at(-1) as { id: string; created_at: string };
  await store.hear({ message_id, received_at });
  expect(await store.turns()).toHaveLength(2);
  store.deliver();
  const { superseded, considered } = await assistant.rpc.call(
    explainMessage,
    { params: { leadId: store.leadId, messageId: next?.id } },
    testContext({ storeId: store.storeId }),
  );
  expect(superseded).toBe(1);
  // Nothing says what the lead is like.
  const { agent_id, name, outcome } = otherAgent;
  const failed_condition = { condition_type: 'tag', operator: '=', value: 'vip' };
  expect(considered).toEqual([{ agent_id, name, outcome, failed_condition }]);
});

test('constant messages starve the reply: a lead who writes without a pause gets an answer after the longest wait, and the rest is answered next', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 6, ai_max_wait_seconds: 10 });
  store.world.passages = [prices];
  await store.write('um', { secondsAgo: 11 });
  let newest = '';
  store.world.thinking = async () => {
    store.world.thinking = async () => {};
    newest = (await store.write('mais um')).received_at;
  };
  const waits = await store.drain();
  expect(store.world.accepted).toHaveLength(1);
  expect(store.world.accepted[0]).not.toHaveProperty('unless_reply_after');
  expect(waits).toMatchObject({ done: false, wake_at: after(newest, 6) });
  expect((await store.turns()).map(({ state }) => state)).toEqual(['sent', 'open']);
});

test('loop after a closed session: only the next message of the lead opens a turn, and no repeated event', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  store.world.passages = [prices];
  const first = await store.write('quanto custa o corte?', { secondsAgo: 1 });
  await store.drain();
  await store.hear(first);
  expect(await store.turns()).toHaveLength(1);
  await store.write('e a barba?');
  expect(await store.drain()).toEqual(ended('sent'));
  expect(store.world.accepted).toHaveLength(2);
  expect(await store.step()).toEqual(ended('no turn is open'));
});

test('events that come at once open one turn', async () => {
  const store = await assistant.openStore();
  await Promise.all(Array.from({ length: 8 }, (_, number) => store.write(`${number}`)));
  expect(await store.turns()).toHaveLength(1);
});

describe('a crash', () => {
  test('after the call to the model repeats it once, and no answer is lost', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.passages = [prices];
    await store.write('quanto custa o corte?', { secondsAgo: 1 });
    // The process that has the lease is gone: another one decides meanwhile, and what the first one records has no effect.
    store.world.thinking = async () => {
      store.world.thinking = async () => {};
      await store.endLease();
      expect(await store.step()).toEqual(ended('sent'));
    };
    expect(await store.step()).toMatchObject({ done: false, reason: 'the row has changed meanwhile' });
    expect(store.world.calls).toBe(2);
    expect(store.world.accepted).toHaveLength(1);
  });

  test('between the acceptance and its record gives no second answer', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.passages = [prices];
    await store.write('quanto custa o corte?', { secondsAgo: 1 });
    let asked = 0;
    store.world.accept = async (body) => {
      asked += 1;
      store.world.accepted.push(body);
      // Messaging has it, and the answer is lost.
      throw new AppError('upstream_timeout');
    };
    expect(await store.step()).toMatchObject({ done: false, reason: 'attempt 1 failed (upstream_timeout)' });
    await store.endLease();
    // A newer message does not make it another answer either.
    await store.write('e a barba?');
    expect(await store.step()).toMatchObject({ done: false });
    expect(asked).toBe(1);
    expect(store.world.accepted).toHaveLength(1);
    expect((await store.turns()).map(({ state }) => state)).toEqual(['sent', 'open']);
  });

  test('leaves a lease, until whose end no other attempt begins', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    const gate = Promise.withResolvers<void>();
    store.world.thinking = () => gate.promise;
    const first = store.step();
    while (store.world.calls === 0) await pause(5);
    expect(await store.step()).toMatchObject({ done: false, reason: 'another attempt is running' });
    gate.resolve();
    await first;
    expect(store.world.calls).toBe(1);
  });
});

describe('a turn ends silent', () => {
  test.each([
    ['ai_paused', { lead: { ai_paused_until: '2999-01-01T00:00:00.000Z' } }],
    ['lead_opted_out', { lead: { opted_out_at: '2026-01-01T00:00:00.000Z' } }],
    ['lead_not_found', { lead: undefined }],
    ['no_agent', { agent: null }],
  ] as const)('with the reason %s, and asks no model', async (reason, world) => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    Object.assign(store.world, world);
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended(`silent (${reason})`));
    expect(store.world).toMatchObject({ calls: 0, accepted: [] });
    expect(await store.feed()).toEqual([
      { type: 'assistant.silent', data: { lead_id: store.leadId, reason, appointment_ids: [] } },
    ]);
  });

  test.each([
    ['lead_opted_out', 'lead_opted_out'],
    ['messaging_window_closed', 'messaging_window_closed'],
    ['channel_not_connected', 'channel_not_connected'],
    ['message_budget_reached', 'message_budget_reached'],
    ['message_expired', 'too_late'],
  ] as const)('when messaging answers %s', async (code, reason) => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.accept = async () => {
      throw new AppError(code);
    };
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended(`silent (${reason})`));
  });

  test('when the lead only says thanks (follow-up after chosen silence: none comes)', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('Obrigado!', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('silent (no_answer_needed)'));
  });

  test('when the messages are gone', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    store.world.messages.length = 0;
    expect(await store.drain()).toEqual(ended('silent (nothing_to_answer)'));
  });

  test('when the lead has deleted all of them, and is not asked to write', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 2 });
    await store.write('', { secondsAgo: 1 });
    const revoked_at = new Date().toISOString();
    store.world.messages = store.world.messages.map((message) => ({ ...message, body: '', revoked_at }));
    expect(await store.drain()).toEqual(ended('silent (nothing_to_answer)'));
    expect(store.said()).toEqual([]);
  });

  test('when no look was made for a quarter of an hour', async () => {
    const store = await assistant.openStore();
    await store.write('oi', { secondsAgo: 16 * 60 });
    expect(await store.drain()).toEqual(ended('silent (too_late)'));
  });

  test('when the database was restored: the answer may have been sent', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    const since = new Date().toISOString();
    const fence = async (dry_run: boolean) => {
      const request = { body: { since, dry_run } };
      await assistant.rpc.call(fenceTurns, request, testContext());
      return (await store.turns()).map(({ state, reason }) => [state, reason]);
    };
    expect(await fence(true)).toEqual([['open', null]]);
    expect(await fence(false)).toEqual([['silent', 'restored']]);
    expect(await store.drain()).toEqual(ended('no turn is open'));
    expect(await store.feed()).toMatchObject([{ type: 'assistant.silent', data: { reason: 'restored' } }]);
    await store.write('ainda está aí?');
    expect(await fence(false)).toEqual([
      ['silent', 'restored'],
      ['open', null],
    ]);
  });

  test('when the database was restored, but not what the lead wrote after that', async () => {
    const store = await assistant.openStore();
    await store.write('oi', { secondsAgo: 60 });
    const { received_at } = await store.write('ainda está aí?');
    const since = new Date(Date.parse(received_at) - 1_000).toISOString();
    await assistant.rpc.call(fenceTurns, { body: { since } }, testContext());
    expect(await store.turns()).toMatchObject([
      { state: 'silent', reason: 'restored', answered_to: new Date(since) },
      { state: 'open', last_received_at: new Date(received_at) },
    ]);
  });

  test('when the AI is switched off meanwhile', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    await assistant.rpc.call(updateAssistantSettings, { body: { ai: false } }, testContext({ storeId: store.storeId }));
    expect(await store.drain()).toEqual(ended('silent (switched_off)'));
  });
});

test('when the operator has switched the AI of all stores off, none answers', async () => {
  const off = await startAssistant({ isOff: true });
  try {
    const store = await off.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('silent (switched_off)'));
    expect([store.world.calls, store.said()]).toEqual([0, []]);
  } finally {
    await off.stop();
  }
});

test('on standby no turn starts, because another agent of the number has the conversation', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  const written = await store.write('oi', { told: false });
  await store.hear({ ...written, on_standby: true });
  expect(await store.turns()).toEqual([]);
  expect(await store.feed()).toEqual([]);
});

test('a store with the AI off has no turns', async () => {
  const store = await assistant.openStore({ ai: false });
  await store.write('oi');
  expect(await store.turns()).toEqual([]);
});

describe('a turn is handed over, with a text to the lead', () => {
  test.each([
    ['asked_for_person', 'Quero falar com um atendente', [prices], 1],
    ['nothing_found', 'Vocês abrem no feriado?', [], 1],
  ] as const)('%s', async (reason, text, passages, calls) => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.passages = passages;
    await store.write(text, { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended(`handed_over (${reason})`));
    expect(store.world.calls).toBe(calls);
    const [turn] = await store.turns();
    expect(store.world.accepted).toEqual([expect.objectContaining({ id: turn?.id, source: 'ai', hands_over: true })]);
    expect(store.world.accepted[0]?.message).toContain('pessoa da equipe');
    expect(await store.feed()).toEqual([
      { type: 'assistant.handed_over', data: { lead_id: store.leadId, message_id: turn?.id, reason } },
    ]);
  });

  test('no_text, when the lead was kindly asked to write and did not', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('sent'));
    expect(store.said()).toEqual([expect.stringContaining('Pode escrever, por favor?')]);
    store.deliver();
    await store.write('');
    expect(await store.drain()).toEqual(ended('handed_over (no_text)'));
    expect(store.world.calls).toBe(0);
  });

  test('when the calls of the day are used up', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0, ai_daily_calls: 1 });
    store.world.passages = [prices];
    await store.write('quanto custa o corte?', { secondsAgo: 2 });
    expect(await store.drain()).toEqual(ended('sent'));
    await store.write('e a barba?');
    expect(await store.drain()).toEqual(ended('handed_over (budget_reached)'));
    expect(store.world.calls).toBe(1);
  });
});

describe('the first text says that it is an AI, whatever it is', () => {
  const first = /^Olá, aqui é Ana, a assistente de IA da loja\.\n\n/;

  test('a budget that is used up', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0, ai_daily_calls: 1 });
    store.world.model = () => ({
      action: 'use_tools',
      calls: [{ id: 'c', name: 'update_lead', input: { name: 'Ana' } }],
    });
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('handed_over (budget_reached)'));
    expect(store.said()).toEqual([expect.stringMatching(first)]);
  });

  test('a model that asks for tools again and again', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.model = () => ({
      action: 'use_tools',
      calls: [{ id: 'c', name: 'update_lead', input: { name: 'Ana' } }],
    });
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('handed_over (too_many_steps)'));
    expect(store.said()).toEqual([expect.stringMatching(first)]);
  });

  test('an effect that a person confirms', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0, ai_confirm: ['update_lead'] });
    store.world.model = () => ({
      action: 'use_tools',
      calls: [{ id: 'c', name: 'update_lead', input: { name: 'Ana' } }],
    });
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended('handed_over (needs_confirmation)'));
    expect(store.said()).toEqual([expect.stringMatching(first)]);
  });

  test.each(['model_unavailable', 'model_refused'] as const)('a hand-over as %s', async (reason) => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.model = () => ({ action: 'hand_over', text: 'Vou chamar uma pessoa.', reason });
    await store.write('oi', { secondsAgo: 1 });
    expect(await store.drain()).toEqual(ended(`handed_over (${reason})`));
    expect(store.said()).toEqual([expect.stringMatching(first)]);
  });

  test('once: not that which follows, unless the channel refused the first one', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.passages = [prices];
    await store.say('quanto custa o corte?');
    await store.say('e a barba?');
    const introduced = () => store.said().map((text) => text.includes('assistente de IA'));
    expect(introduced()).toEqual([true, false]);
    store.world.messages = store.world.messages.map((message) =>
      message.direction === 'outbound' ? { ...message, status: 'failed' } : message,
    );
    await store.say('e os dois?');
    expect(introduced()).toEqual([true, false, true]);
  });

  test('and not that of an agent that does not disclose it', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.agent = { disclosure: false };
    store.world.model = () => ({ action: 'hand_over', text: 'Vou chamar uma pessoa.', reason: 'model_refused' });
    await store.say('oi');
    expect(store.said()).toEqual(['Vou chamar uma pessoa.']);
  });
});

test('a hand-over that is outdated is not told: the lead has written meanwhile', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  store.world.passages = [prices];
  store.world.thinking = async () => {
    store.world.thinking = async () => {};
    await store.write('Deixa. Quanto custa o corte?');
  };
  await store.write('Quero falar com um atendente', { secondsAgo: 1 });
  store.world.model = ({ text }) =>
    text.includes('Deixa')
      ? { action: 'reply', text: 'R$ 60.', usedPassages: [0] }
      : { action: 'hand_over', text: 'Vou chamar uma pessoa.', reason: 'asked_for_person' };
  expect(await store.drain()).toEqual(ended('sent'));
  expect((await store.turns()).map(({ state }) => state)).toEqual(['superseded', 'sent']);
  expect(store.said()).toEqual([expect.stringContaining('R$ 60.')]);
});

test('wrong language: a lead is told in its own what the server says, and its agent is chosen by it', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  store.world.agent = { language: null };
  await store.write('hola, quiero hablar con una persona', { secondsAgo: 1 });
  expect(await store.drain()).toEqual(ended('handed_over (asked_for_person)'));
  expect(store.said()).toEqual([expect.stringContaining('persona del equipo')]);
  expect(store.world.selectedFor).toMatchObject({ language: 'es' });
});

describe('a lead that is merged into another one', () => {
  test('leaves what it wrote to that one, which gets the answer when the messages have moved', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    store.world.passages = [prices];
    const first = await store.write('quanto custa o corte?', { secondsAgo: 1 });
    const kept = randomUUID();
    await store.merge(kept);
    await store.merge(kept);
    expect(await store.turns()).toMatchObject([
      { lead_id: store.leadId, state: 'superseded' },
      { lead_id: kept, state: 'open', first_received_at: new Date(first.received_at) },
    ]);
    expect(await store.drain(kept)).toMatchObject({ done: false, reason: 'the lead may write more' });
    await store.endLease();
    await expect.poll(store.wakeUps).toContainEqual({ topic: 'reply', entity_id: kept, signal: 'received' });
    expect(await store.drain(kept)).toEqual(ended('sent'));
    expect(store.world.accepted).toMatchObject([{ lead_id: kept }]);
  });

  test('also when a step came first and found no lead, and when that one has a turn', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    const [kept, first] = [randomUUID(), await store.write('oi', { secondsAgo: 2 })];
    store.world.lead = undefined;
    expect(await store.drain()).toEqual(ended('silent (lead_not_found)'));
    await store.merge(kept);
    const { received_at } = await store.write('quanto custa?', { secondsAgo: 1 });
    await store.merge(kept);
    const open = (await store.turns()).filter(({ state }) => state === 'open');
    expect(open).toMatchObject([
      {
        ...{ lead_id: kept, first_received_at: new Date(first.received_at) },
        last_received_at: new Date(received_at),
      },
    ]);
  });

  test('is moved when no step is running', async () => {
    const store = await assistant.openStore({ ai_quiet_seconds: 0 });
    await store.write('oi', { secondsAgo: 1 });
    let merged: unknown;
    store.world.thinking = async () => {
      merged = await store.merge(randomUUID()).catch((error) => error.code);
    };
    await store.step();
    expect(merged).toBe('lead_busy');
    expect(await store.turns()).toHaveLength(1);
  });
});

test('a step that fails is tried again, later each time', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  store.world.thinking = async () => {
    throw new AppError('service_unavailable');
  };
  await store.write('oi', { secondsAgo: 1 });
  expect(await store.step()).toMatchObject({ done: false, reason: 'attempt 1 failed (service_unavailable)' });
  store.world.thinking = async () => {};
  await store.endLease();
  expect(await store.drain()).toEqual(ended('sent'));
});
