import { randomUUID } from 'node:crypto';
import { type Appointment, disconnectModels, explainMessage, updateAssistantSettings } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passage, startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { pageOfTimes } from '../../test/scheduling.ts';
import { hourIn as at, dayIn } from '../../test/zone.ts';
import type { Decision, ModelRequest } from '../models/model.ts';
import { purgeOffers } from './purge-offers.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

const ended = (reason: string) => ({ done: true, wake_at: null, reason });

type TestStore = Awaited<ReturnType<TestAssistant['openStore']>>;

/** A store that offers times: tomorrow at 9, 10 and 15. */
async function openBooking(): Promise<TestStore> {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  Object.assign(store.world, { books: true, free: [at(1, 9), at(1, 10), at(1, 15)] });
  return store;
}

/** A lead who has been offered those times. */
async function openOffered(): Promise<TestStore> {
  const store = await openBooking();
  expect(await store.say('quero marcar um horário amanhã')).toEqual(ended('sent'));
  return store;
}

/** A model that calls these tools one after the other, and then replies. */
const calling =
  (...calls: ((request: ModelRequest) => { name: string; input: unknown })[]) =>
  (request: ModelRequest): Decision => {
    const next = calls[request.results.length]?.(request);
    if (!next) return { action: 'reply', text: 'ok', usedPassages: [] };
    return { action: 'use_tools', calls: [{ id: `c${request.results.length}`, ...next } as never] };
  };

/** The ids that a model is offered for `book`. */
const offersIn = ({ tools }: ModelRequest): { const: string; description: string }[] =>
  tools.find(({ name }) => name === 'book')?.input.properties.offer.anyOf ?? [];

test('a lead asks for a time, is offered times, accepts one, and gets the appointment', async () => {
  const store = await openOffered();
  expect(store.said()).toEqual([expect.stringMatching(/Qual prefere\?\n\n1\. .+ 9:00\n2\. .+ 10:00\n3\. .+ 15:00$/)]);
  expect(await store.say('pode ser às 10')).toEqual(ended('sent'));
  expect(store.world.appointments).toEqual([
    expect.objectContaining({ lead_id: store.leadId, scheduled_at: at(1, 10), title: 'Atendimento' }),
  ]);
  const [, turn] = await store.turns();
  expect(store.world.effects).toEqual([{ key: `${turn?.id}:1:1`, actor: { kind: 'agent', id: turn?.agent_id } }]);
  expect(store.said().at(-1)).toMatch(/^Marcado: Atendimento, .+ 10:00\.\n\nAté lá!$/);
  const explained = await assistant.rpc.call(
    explainMessage,
    { params: { leadId: store.leadId, messageId: turn?.id } },
    testContext({ storeId: store.storeId }),
  );
  expect(explained.tools).toEqual([
    {
      ...{ tool: 'book', input: { offer: expect.any(String) } },
      output: { appointment: expect.objectContaining({ scheduled_at: at(1, 10), status: 'scheduled' }) },
      awaits_confirmation: false,
      offer: null,
    },
  ]);
  // What was offered is used up.
  store.world.passages = [passage('Preços', 'Corte: R$ 60.')];
  await store.say('às 15');
  expect(store.world.appointments).toHaveLength(1);
});

test('a lead learns what was booked when the budget for messages is used up meanwhile, and a person goes on', async () => {
  const store = await openOffered();
  store.world.accept = async (body) => {
    if (!body.hands_over) throw new AppError('message_budget_reached');
    store.world.accepted.push(body);
  };
  expect(await store.say('pode ser às 10')).toEqual(ended('handed_over (budget_reached)'));
  expect(store.said().at(-1)).toMatch(/^Marcado: Atendimento, .+ 10:00\./);
  expect(store.world.appointments).toHaveLength(1);
});

describe('a hand-over without a message: after a booking the AI cannot go on, and', () => {
  /** A lead for whom 10 o'clock was just booked. */
  const openBooked = async () => {
    const store = await openOffered();
    await store.write('pode ser às 10');
    await store.step();
    expect(await store.step()).toMatchObject({ reason: 'a tool was used' });
    return store;
  };
  const silent = async (store: TestStore) => (await store.feed()).at(-1)?.data;
  const switchOff = ({ storeId }: TestStore) =>
    assistant.rpc.call(updateAssistantSettings, { body: { ai: false } }, testContext({ storeId }));

  test.each<[string, (store: TestStore) => unknown]>([
    ['its agent is deactivated', ({ world }) => Object.assign(world, { agent: null })],
    [
      'its model is disconnected',
      ({ storeId }) => assistant.rpc.call(disconnectModels, { body: {} }, testContext({ storeId })),
    ],
    ['it is switched off', switchOff],
    ['the lead has deleted the messages', ({ world }) => Object.assign(world, { messages: [] })],
  ])('%s: the lead learns of the appointment, and a person goes on', async (_what, happens) => {
    const store = await openBooked();
    await happens(store);
    expect(await store.drain()).toEqual(ended('handed_over (interrupted)'));
    expect(store.said().at(-1)).toMatch(/Marcado: Atendimento, .+ 10:00\.\n\nVou chamar uma pessoa/);
    expect(store.world.accepted.at(-1)).toMatchObject({ hands_over: true, agent: { name: 'Ana' } });
    expect(await store.feed()).toHaveLength(2);
  });

  test.each<[string, string, (store: TestStore) => unknown]>([
    ['a person has written', 'ai_paused', ({ world }) => Object.assign(world, { stops: { ai_paused_until: later } })],
    [
      'the lead has opted out',
      'lead_opted_out',
      ({ world }) => Object.assign(world, { lead: { opted_out_at: later } }),
    ],
    [
      'the message has expired',
      'too_late',
      ({ world }) => {
        world.accept = async () => {
          throw new AppError('message_expired');
        };
      },
    ],
    [
      'a quarter of an hour has passed',
      'too_late',
      ({ storeId }) => assistant.adminSql`
        update ai_turns set first_received_at = now() - interval '16 min', last_received_at = now() - interval '16 min'
        where store_id = ${storeId} and state = 'open'`,
    ],
  ])('%s: the event tells the team of the appointment', async (_what, reason, happens) => {
    const store = await openBooked();
    await happens(store);
    expect(await store.drain()).toEqual(ended(`silent (${reason})`));
    expect(store.said()).toHaveLength(1);
    const [{ id } = {}] = store.world.appointments;
    expect(await silent(store)).toEqual({ lead_id: store.leadId, reason, appointment_ids: [id] });
  });
});
const later = '2999-01-01T00:00:00.000Z';

test('a day without a free time gets the next ones', async () => {
  const store = await openBooking();
  store.world.free = [at(5, 9)];
  await store.say('tem horário amanhã?');
  expect(store.said().at(-1)).toMatch(/Nesse dia não há horário livre.+\n\n1\. .+ 9:00$/);
  store.world.free = [];
  await store.say('e hoje, tem horário?');
  expect((await store.turns()).at(-1)).toMatchObject({ state: 'handed_over', action_reason: 'nothing_found' });
});

describe('more free times than one answer of scheduling has', () => {
  const morning = (times: number) =>
    Array.from({ length: times }, (_, minute) => new Date(Date.parse(at(1, 9)) + minute * 60_000).toISOString());

  test('are all looked through', async () => {
    const store = await openBooking();
    store.world.free = [...morning(pageOfTimes), at(1, 19)];
    await store.say('tem horário amanhã à noite?');
    expect(store.said().at(-1)).toMatch(/\n\n1\. .+ 19:00$/);
  });

  test('are not called full when there are too many to look through', async () => {
    const store = await openBooking();
    store.world.free = [...morning(10 * pageOfTimes), at(1, 19)];
    store.world.model = calling(() => ({ name: 'find_times', input: { part_of_day: 'evening' } }));
    await store.say('à noite');
    const [step] = await assistant.adminSql`
      select output from ai_steps where store_id = ${store.storeId} and tool = 'find_times'`;
    expect(step?.output).toMatchObject({ times: [], reason: null, searched_to: dayIn(1) });
  });
});

test('a time that was taken meanwhile is not booked, and others are offered', async () => {
  const store = await openOffered();
  store.world.free = [at(1, 15)];
  await store.say('10h');
  expect(store.world.appointments).toEqual([]);
  expect(store.said().at(-1)).toMatch(/acabou de ser ocupado.+\n\n1\. .+ 15:00$/);
  await store.say('a primeira');
  expect(store.world.appointments).toMatchObject([{ scheduled_at: at(1, 15) }]);
});

test('a lead moves an appointment, and cancels it', async () => {
  const store = await openOffered();
  await store.say('9h');
  await store.say('preciso remarcar para amanhã à tarde');
  await store.say('às 15');
  expect(store.world.appointments).toMatchObject([{ scheduled_at: at(1, 15), status: 'scheduled' }]);
  expect(store.said().at(-1)).toMatch(/^Remarcado: Atendimento, .+ 15:00\./);
  await store.say('quero cancelar meu horário');
  expect(store.world.appointments).toMatchObject([{ status: 'cancelled' }]);
  expect(store.said().at(-1)).toMatch(/^Cancelado: Atendimento, .+ 15:00\.\n\nPronto\.$/);
});

test('times for a move are those for what the appointment is, without the one that it has', async () => {
  const store = await openOffered();
  await store.say('9h');
  const [booked] = store.world.appointments;
  const has = { duration_minutes: 90, service_id: randomUUID(), seller_id: randomUUID(), title: 'Coloração' };
  store.world.appointments = [{ ...(booked as Appointment), ...has }];
  await store.say('preciso remarcar para amanhã');
  const { duration_minutes, service_id, seller_id } = has;
  expect(store.world.searches.at(-1)).toMatchObject({
    ...{ appointment_id: booked?.id, duration_minutes, service_id, seller_id },
  });
  expect(store.said().at(-1)).toMatch(/\n\n1\. .+ 10:00\n2\. .+ 15:00$/);
  const offers = await assistant.adminSql`
    select title, duration_minutes, service_id from ai_offers where store_id = ${store.storeId}`;
  expect(offers).toEqual(offers.map(() => ({ title: has.title, duration_minutes, service_id })));
  await store.say('a segunda');
  expect(store.world.appointments).toMatchObject([{ scheduled_at: at(1, 15), status: 'scheduled' }]);
});

test('an appointment that is gone meanwhile is no reason to fail: the model learns it', async () => {
  const store = await openOffered();
  await store.say('9h');
  const outputs: unknown[] = [];
  store.world.model = (request) => {
    outputs.push(...request.results.map(({ output }) => output));
    const [choice] = request.tools.find(({ name }) => name === 'find_times')?.input.properties.appointment?.anyOf ?? [];
    store.world.appointments = [];
    return calling(() => ({ name: 'find_times', input: { appointment: choice?.const } }))(request);
  };
  await store.say('preciso remarcar');
  expect(outputs).toEqual([{ error: 'appointment_not_found' }]);
});

test('a cancellation leaves the offers: the same answer of a model can book another time', async () => {
  const store = await openOffered();
  await store.say('9h');
  await store.say('preciso remarcar para amanhã à tarde');
  const appointment = store.world.appointments[0]?.id;
  store.world.model = (request) => {
    if (request.results.length > 0) return { action: 'reply', text: 'ok', usedPassages: [] };
    const book = { id: 'b', name: 'book', input: { offer: offersIn(request)[0]?.const } } as const;
    return { action: 'use_tools', calls: [{ id: 'a', name: 'cancel', input: { appointment } }, book] };
  };
  await store.say('cancele, e marque a primeira');
  expect(store.world.appointments).toMatchObject([
    { scheduled_at: at(1, 9), status: 'cancelled' },
    { scheduled_at: at(1, 15), status: 'scheduled' },
  ]);
});

test('the purge deletes the offers whose time has passed, of every store', async () => {
  const stores = [await openOffered(), await openOffered()];
  const ids = stores.map(({ storeId }) => storeId);
  await assistant.adminSql`
    update ai_offers set starts_at = now() - interval '1 day' where store_id = any(${ids}) and place = 1`;
  await purgeOffers(assistant.systemDatabase);
  const left = await assistant.adminSql`select place from ai_offers where store_id = any(${ids}) order by place`;
  expect(left.map(({ place }) => place)).toEqual([2, 2, 3, 3]);
});

test('the lead that stays after a merge keeps what the other one was offered', async () => {
  const [store, kept] = [await openOffered(), randomUUID()];
  await store.merge(kept);
  const offers = await assistant.adminSql`select lead_id from ai_offers where store_id = ${store.storeId}`;
  expect(offers.map(({ lead_id }) => lead_id)).toEqual([kept, kept, kept]);
});

describe('only a time that was sent before the lead accepted it can be booked', () => {
  test('not one that the channel has not taken', async () => {
    const store = await openBooking();
    await store.write('quero marcar um horário amanhã');
    await store.drain();
    // Its message is still queued.
    let offered: unknown[] = [];
    store.world.model = (request) => {
      offered = offersIn(request);
      return calling(({ results }) => ({ name: 'book', input: { offer: String(results.length) } }))(request);
    };
    await store.write('a primeira');
    await store.drain();
    expect(offered).toEqual([]);
    expect(store.world.appointments).toEqual([]);
  });

  test('not one that was found in the same turn, of another lead, or invented', async () => {
    const other = await openOffered();
    let ofOther = '';
    other.world.model = (request) => {
      ofOther = offersIn(request)[0]?.const ?? '';
      return { action: 'silent', reason: 'no_answer_needed' };
    };
    await other.say('hm');
    expect(ofOther).not.toBe('');
    const store = await openOffered();
    let outputs: unknown[] = [];
    store.world.model = (request) => {
      outputs = request.results.map(({ output }) => output);
      return calling(
        () => ({ name: 'find_times', input: {} }),
        ({ results }) => {
          const found = results[0]?.output as { times: { offer: string }[] } | undefined;
          return { name: 'book', input: { offer: found?.times[0]?.offer } };
        },
        () => ({ name: 'book', input: { offer: ofOther } }),
        () => ({ name: 'book', input: { offer: randomUUID(), lead_id: randomUUID() } }),
        () => ({ name: 'drop_tables', input: {} }),
      )(request);
    };
    await store.say('marque qualquer um');
    expect(outputs.slice(1)).toEqual([
      ...Array(3).fill(expect.objectContaining({ error: 'invalid_input' })),
      { error: 'tool_not_offered' },
    ]);
    expect([store.world.appointments, other.world.appointments]).toEqual([[], []]);
  });
});

test('a model that asks for tools again and again is stopped, and a person answers', async () => {
  const store = await openBooking();
  store.world.model = () => ({ action: 'use_tools', calls: [{ id: 'c', name: 'find_times', input: {} }] });
  expect(await store.say('oi')).toEqual(ended('handed_over (too_many_steps)'));
  expect(store.world.calls).toBe(6);
});

test('the other tools act for the lead of the turn alone', async () => {
  const store = await openBooking();
  const input = { days: 3, message: 'Ainda quer o corte?' };
  store.world.model = calling(
    () => ({ name: 'schedule_followup', input }),
    () => ({ name: 'schedule_followup', input: { ...input, lead_id: randomUUID() } }),
    () => ({ name: 'update_lead', input: { name: ' Maria Silva ', status: 'in_progress' } }),
  );
  await store.say('me chame na semana que vem. Meu nome é Maria Silva');
  expect(store.world.followups).toEqual([
    { lead_id: store.leadId, message: input.message, delay_minutes: 3 * 1440, ...defaults },
  ]);
  expect(store.world.lead).toMatchObject({ name: 'Maria Silva', status: 'in_progress' });
});
const defaults = { cancel_on_reply: true, cancel_on_appointment: false };

test('a store without booking rules offers no times', async () => {
  const store = await assistant.openStore({ ai_quiet_seconds: 0 });
  let names: string[] = [];
  store.world.model = ({ tools }) => {
    names = tools.map(({ name }) => name);
    return { action: 'silent', reason: 'no_answer_needed' };
  };
  await store.say('quero marcar um horário');
  expect(names).toEqual(['schedule_followup', 'update_lead']);
});

describe('a lead who writes more', () => {
  test('before a call is made is heard first', async () => {
    const store = await openOffered();
    await store.write('10h');
    await store.step();
    await store.write('não, melhor às 15', { secondsAgo: -1 });
    await assistant.adminSql`update ai_turns set next_attempt_at = now() - interval '1 second' where store_id = ${store.storeId} and state = 'open'`;
    await store.drain();
    const outputs = await assistant.adminSql`
      select output from ai_steps where store_id = ${store.storeId} and tool = 'book'`;
    expect(outputs[0]).toEqual({ output: { error: 'customer_wrote_more' } });
    expect(store.world.appointments.map(({ scheduled_at }) => scheduled_at)).not.toContain(at(1, 10));
  });

  test('after it was made keeps it: the next answer confirms it, and nothing is booked twice', async () => {
    const store = await openOffered();
    store.world.accept = async () => {
      store.world.accept = async () => {};
      await store.write('obrigada!', { told: false });
    };
    await store.write('10h');
    expect(await store.drain()).toEqual(ended('sent'));
    expect((await store.turns()).map(({ state }) => state)).toEqual(['sent', 'superseded', 'sent']);
    expect(store.world.appointments).toHaveLength(1);
    expect(store.said()).toHaveLength(2);
    expect(store.said().at(-1)).toMatch(/^Marcado: .+ 10:00\./);
  });
});

describe('AI talks over a human, also mid-generation: no tool is used', () => {
  const writes = async ({ storeId }: TestStore, body: { ai: boolean }) => {
    await assistant.rpc.call(updateAssistantSettings, { body }, testContext({ storeId }));
  };
  const outputs = ({ storeId }: TestStore) =>
    assistant.adminSql`select output from ai_steps where store_id = ${storeId} and kind = 'tool' and tool <> 'find_times'`;

  test.each<[string, (store: TestStore) => unknown]>([
    ['ai_paused', ({ world }) => Object.assign(world, { lead: { ai_paused_until: later } })],
    // Messaging has the message of the seller, and crm has not learned of it.
    ['ai_paused', ({ world }) => Object.assign(world, { stops: { ai_paused_until: later } })],
    ['lead_opted_out', ({ world }) => Object.assign(world, { stops: { opted_out_at: later } })],
    ['switched_off', (store) => writes(store, { ai: false })],
    ['no_model', ({ storeId }) => assistant.rpc.call(disconnectModels, { body: {} }, testContext({ storeId }))],
  ])('%s, which comes while the model thinks', async (reason, happens) => {
    const store = await openOffered();
    await store.write('10h');
    expect(await store.step()).toMatchObject({ reason: 'the model asks for tools' });
    await happens(store);
    expect(await store.drain()).toEqual(ended(`silent (${reason})`));
    expect(await outputs(store)).toEqual([{ output: { error: reason } }]);
    expect([store.world.appointments, store.world.effects]).toEqual([[], []]);
    expect(store.said()).toHaveLength(1);
  });

  test('nor the second one of an answer, when a person writes after the first one', async () => {
    const store = await openBooking();
    store.world.model = () => ({
      action: 'use_tools',
      calls: ['Maria Silva', 'Maria Souza'].map((name, index) => ({
        ...{ id: `c${index}`, name: 'update_lead', input: { name } },
      })),
    });
    await store.write('meu nome é Maria Silva');
    await store.step();
    await store.step();
    Object.assign(store.world.lead as object, { ai_paused_until: later });
    expect(await store.drain()).toEqual(ended('silent (ai_paused)'));
    expect(store.world.lead).toMatchObject({ name: 'Maria Silva' });
  });

  test('while the owning service does not answer: a call that had no effect has not begun', async () => {
    const store = await openOffered();
    store.world.booking = async () => {
      store.world.booking = async () => {};
      throw new AppError('service_unavailable');
    };
    await store.write('10h');
    expect(await store.drain()).toMatchObject({ reason: 'attempt 1 failed (service_unavailable)' });
    Object.assign(store.world.lead as object, { ai_paused_until: later });
    await store.endLease();
    expect(await store.drain()).toEqual(ended('silent (ai_paused)'));
    expect(store.world.appointments).toEqual([]);
  });
});

describe('retry repeats a tool: a crash', () => {
  test.each([
    ['before the model has answered', 'thinking'],
    ['after the appointment was written', 'booked'],
  ] as const)('%s books once, and confirms once', async (_when, moment) => {
    const store = await openOffered();
    const untouched = store.world[moment];
    store.world[moment] = async () => {
      store.world[moment] = untouched;
      // The process is gone: another one does the step meanwhile, and what this one records has no effect.
      await store.endLease();
      await store.step();
    };
    await store.write('10h');
    expect(await store.drain()).toEqual(ended('sent'));
    expect(store.world.appointments).toHaveLength(1);
    expect(store.said()).toHaveLength(2);
  });

  test('whose answer is lost books once, although the lead has written more and the time has been taken', async () => {
    const store = await openOffered();
    store.world.booked = async () => {
      store.world.booked = async () => {};
      await store.write('obrigada!');
      throw new AppError('upstream_timeout');
    };
    await store.write('10h');
    await store.drain();
    await store.endLease();
    await store.drain();
    expect(store.world.appointments).toHaveLength(1);
    expect(store.world.effects).toHaveLength(1);
    expect(store.said().at(-1)).toMatch(/^Marcado: .+ 10:00\./);
  });
});

describe('a tool whose answer is lost', () => {
  /** A lead who accepts 10 o'clock, while scheduling does not answer. `booked`: it has made the appointment. */
  async function openUnknown(moment: 'booking' | 'booked'): Promise<TestStore> {
    const store = await openOffered();
    const untouched = store.world[moment];
    store.world[moment] = async () => {
      store.world[moment] = untouched;
      throw new AppError('upstream_timeout');
    };
    await store.write('10h');
    expect(await store.drain()).toMatchObject({ reason: 'attempt 1 failed (upstream_timeout)' });
    return store;
  }
  const outputOf = async ({ storeId }: TestStore) =>
    (await assistant.adminSql`select output from ai_steps where store_id = ${storeId} and tool = 'book'`)[0]?.output;
  const goOn = async (store: TestStore) => {
    await store.endLease();
    return await store.drain();
  };

  const noLongerWanted: [string, (store: TestStore) => unknown][] = [
    ['customer_wrote_more', (store) => store.write('não, espera')],
    ['ai_paused', ({ world }) => Object.assign(world, { stops: { ai_paused_until: later } })],
    ['lead_opted_out', ({ world }) => Object.assign(world, { lead: { opted_out_at: later } })],
    [
      'too_late',
      ({ storeId }) => assistant.adminSql`
        update ai_turns set first_received_at = now() - interval '16 min', last_received_at = now() - interval '16 min'
        where store_id = ${storeId} and state = 'open'`,
    ],
  ];

  test.each(noLongerWanted)('is not used later, and says so: %s', async (reason, happens) => {
    const store = await openUnknown('booking');
    await happens(store);
    store.world.model = () => ({ action: 'reply', text: 'ok', usedPassages: [] });
    await goOn(store);
    expect(await outputOf(store)).toEqual({ error: reason });
    expect([store.world.appointments, store.world.effects]).toEqual([[], []]);
    expect(store.said().join()).not.toMatch(/Marcado/);
  });

  test.each(noLongerWanted)('has its result when it was used: %s', async (_reason, happens) => {
    const store = await openUnknown('booked');
    await happens(store);
    await goOn(store);
    const [{ id } = {}] = store.world.appointments;
    expect(await outputOf(store)).toMatchObject({ appointment: { id } });
    expect(store.world.effects).toHaveLength(1);
  });

  test('is used again while it is wanted', async () => {
    const store = await openUnknown('booking');
    expect(await goOn(store)).toEqual(ended('sent'));
    expect(store.said().at(-1)).toMatch(/^Marcado: .+ 10:00\./);
  });
});

test('what a lead wrote before the AI was on is left to people', async () => {
  const store = await assistant.openStore({ ai: false });
  const context = testContext({ storeId: store.storeId });
  await assistant.rpc.call(updateAssistantSettings, { body: { ai: true } }, context);
  await store.write('oi', { secondsAgo: 2 });
  expect(await store.turns()).toEqual([]);
  // A setting does not begin it again.
  await assistant.adminSql`update store_settings set ai_since = now() - interval '1 minute' where store_id = ${store.storeId}`;
  await assistant.rpc.call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 1 } }, context);
  await store.write('oi', { secondsAgo: 2 });
  expect(await store.turns()).toHaveLength(1);
});
