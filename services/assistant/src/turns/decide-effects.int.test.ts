import { randomUUID } from 'node:crypto';
import {
  decideEffects,
  type EffectName,
  explainMessage,
  listDecisions,
  toolNames,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAssistant, type TestAssistant } from '../../test/assistant.ts';
import { hourIn as at } from '../../test/zone.ts';
import type { Decision } from '../models/model.ts';

let assistant: TestAssistant;
beforeAll(async () => {
  assistant = await startAssistant();
});
afterAll(() => assistant?.stop());

type TestStore = Awaited<ReturnType<TestAssistant['openStore']>>;
type Calls = Extract<Decision, { action: 'use_tools' }>['calls'];

const person = { kind: 'user', id: randomUUID() } as const;
const handedOver = { done: true, wake_at: null, reason: 'handed_over (needs_confirmation)' };

/** A lead with an appointment, in a store where a person confirms these effects. */
async function openStore(...ai_confirm: EffectName[]): Promise<TestStore> {
  const store = await assistant.openStore({ ai_quiet_seconds: 0, ai_confirm });
  Object.assign(store.world, { books: true, free: [at(1, 9), at(1, 10), at(1, 15)] });
  return store;
}

/** The lead has been offered times, and accepts the one at 10. */
async function acceptTen(store: TestStore) {
  await store.say('quero marcar um horário amanhã');
  return await store.say('pode ser às 10');
}

async function lastTurn(store: TestStore): Promise<string> {
  return (await store.turns()).at(-1)?.id as string;
}

const decide = async (store: TestStore, decision: 'confirm' | 'decline', messageId?: string) =>
  assistant.rpc.call(
    decideEffects,
    { params: { leadId: store.leadId, messageId: messageId ?? (await lastTurn(store)) }, body: { decision } },
    { ...testContext({ storeId: store.storeId }), actor: person, actorName: 'Rui' },
  );

const explain = async (store: TestStore) =>
  assistant.rpc.call(
    explainMessage,
    { params: { leadId: store.leadId, messageId: await lastTurn(store) } },
    testContext({ storeId: store.storeId }),
  );

test('what the store marks is not done: the lead hears that a person confirms it, and the explanation shows it', async () => {
  const store = await openStore('book');
  expect(await acceptTen(store)).toEqual(handedOver);
  expect(store.world.effects).toEqual([]);
  expect(store.world.accepted.at(-1)).toMatchObject({ hands_over: true, message: expect.stringMatching(/confirma/) });
  expect(await explain(store)).toMatchObject({
    handover_reason: 'needs_confirmation',
    tools: [
      {
        ...{ tool: 'book', input: { offer: expect.any(String) }, output: {}, awaits_confirmation: true },
        offer: { title: 'Atendimento', scheduled_at: at(1, 10), held_until: store.world.holds[0]?.expires_at },
      },
    ],
  });
  expect((await store.feed()).at(-1)).toMatchObject({
    type: 'assistant.handed_over',
    data: { reason: 'needs_confirmation', message_id: await lastTurn(store) },
  });
});

test('a person confirms: the effect is theirs, is made once, and the lead is told', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  const messageId = await lastTurn(store);
  const done = await decide(store, 'confirm');
  expect(done.tools).toEqual([
    expect.objectContaining({
      ...{ tool: 'book', awaits_confirmation: false },
      output: { appointment: expect.objectContaining({ scheduled_at: at(1, 10), status: 'scheduled' }) },
    }),
  ]);
  expect(store.world.effects).toEqual([{ key: `${messageId}:1:1`, actor: person }]);
  expect(store.world.accepted.at(-1)).toMatchObject({
    ...{ id: done.message_id, source: 'seller', author_name: 'Rui' },
    ...{ message: expect.stringMatching(/^Marcado: Atendimento, .+ 10:00\.$/) },
  });
  expect((await explain(store)).tools).toEqual(done.tools);
  for (const decision of ['confirm', 'decline'] as const) {
    await expect(decide(store, decision)).rejects.toMatchObject({
      code: 'nothing_to_confirm',
      members: { decision: { decision: 'confirm', by: { name: 'Rui' }, decided_at: expect.any(String) } },
    });
  }
  expect(store.world.appointments).toHaveLength(1);
});

test('a lead who writes meanwhile is heard first: the time is given back, and a person is asked once about everything', async () => {
  const store = await openStore('book');
  await store.say('quero marcar um horário amanhã');
  store.world.thinking = async () => {
    store.world.thinking = async () => {};
    await store.write('por favor', { told: false });
  };
  await store.write('pode ser às 10');
  expect(await store.drain()).toEqual(handedOver);
  expect((await store.turns()).map(({ state }) => state)).toEqual(['sent', 'superseded', 'handed_over']);
  expect(store.world.holds.map(({ start }) => start)).toEqual([at(1, 10)]);
  expect(store.said()).toHaveLength(2);
  store.deliver();
  await decide(store, 'confirm');
  expect(store.world.appointments).toMatchObject([{ scheduled_at: at(1, 10) }]);
});

test('a person declines: nothing is done, the lead is told nothing, and it cannot be confirmed any more', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  const told = store.said();
  expect(await decide(store, 'decline')).toEqual({
    ...{ tools: [expect.objectContaining({ output: { error: 'declined' }, awaits_confirmation: false })] },
    message_id: null,
  });
  await expect(decide(store, 'confirm')).rejects.toMatchObject({ code: 'nothing_to_confirm' });
  expect([store.world.effects, store.said()]).toEqual([[], told]);
});

test('a confirmation that dies after the effect is repeated without a second effect or message, and cannot be declined', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.accept = async () => {
    throw new AppError('service_unavailable');
  };
  await expect(decide(store, 'confirm')).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(store.world.appointments).toHaveLength(1);
  await expect(decide(store, 'decline')).rejects.toMatchObject({ code: 'nothing_to_confirm' });
  store.world.accept = async () => {};
  const { message_id } = await decide(store, 'confirm');
  expect(store.world.appointments).toHaveLength(1);
  expect(store.world.accepted.filter(({ id }) => id === message_id)).toHaveLength(1);
});

test('a confirmation that nothing can repeat any more is closed by declining it, and stays the decision', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.accept = async () => {
    throw new AppError('service_unavailable');
  };
  await expect(decide(store, 'confirm')).rejects.toMatchObject({ code: 'service_unavailable' });
  await assistant.adminSql`
    update ai_steps set begun_at = now() - interval '13 hours' where store_id = ${store.storeId} and begun_at is not null`;
  await expect(decide(store, 'confirm')).rejects.toMatchObject({ code: 'nothing_to_confirm' });
  const unknown = [expect.objectContaining({ output: { error: 'outcome_unknown' }, awaits_confirmation: false })];
  expect(await decide(store, 'decline')).toEqual({ tools: unknown, message_id: null });
  expect(await listed(store)).toMatchObject([{ decision: { decision: 'confirm' }, tools: unknown }]);
  await expect(decide(store, 'decline')).rejects.toMatchObject({ code: 'nothing_to_confirm' });
  expect(store.world.appointments).toHaveLength(1);
});

test('two people confirm at once: one effect, one message', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  const both = await Promise.allSettled([decide(store, 'confirm'), decide(store, 'confirm')]);
  expect(both.some(({ status }) => status === 'fulfilled')).toBe(true);
  expect(store.world.effects).toHaveLength(1);
  expect(store.said().filter((text) => text.startsWith('Marcado'))).toHaveLength(1);
});

test('an effect that is not possible any more says why, and the lead is told nothing', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.holds = [];
  store.world.free = [];
  expect(await decide(store, 'confirm')).toEqual({
    ...{
      tools: [expect.objectContaining({ output: { error: 'appointment_conflict', alternatives: [] } })],
      message_id: null,
    },
  });
});

const listed = async (store: TestStore, leadId = store.leadId) =>
  (await assistant.rpc.call(listDecisions, { params: { leadId } }, testContext({ storeId: store.storeId }))).data;

test('the accepted time is held until a person decides: a confirmation takes it, and what is declined is free again', async () => {
  for (const decision of ['confirm', 'decline'] as const) {
    const store = await openStore('book');
    await acceptTen(store);
    expect([decision, store.world.holds.map(({ start }) => start), store.world.free.includes(at(1, 10))]).toEqual([
      ...[decision, [at(1, 10)], false],
    ]);
    await decide(store, decision);
    expect([store.world.holds, store.world.free.includes(at(1, 10))]).toEqual([[], decision === 'decline']);
  }
});

test('a hold that has ended: the time is booked if it is still free, else the decider learns what is', async () => {
  for (const isTaken of [false, true]) {
    const store = await openStore('book');
    await acceptTen(store);
    store.world.holds = [];
    store.world.free = isTaken ? [at(1, 15)] : [at(1, 10)];
    const { tools } = await decide(store, 'confirm');
    expect(tools[0]?.output).toEqual(
      isTaken
        ? { error: 'appointment_conflict', alternatives: [at(1, 15)] }
        : { appointment: expect.objectContaining({ scheduled_at: at(1, 10) }) },
    );
    // The time that was refused is still known.
    expect(tools[0]?.offer?.scheduled_at).toBe(isTaken ? at(1, 10) : undefined);
  }
});

test('no person is asked about a time that another customer has taken: the lead is offered others', async () => {
  const store = await openStore('book');
  await store.say('quero marcar um horário amanhã');
  store.world.free = [at(1, 15), at(1, 16)];
  expect(await store.say('pode ser às 10')).toMatchObject({ reason: 'sent' });
  expect(store.said().at(-1)).toMatch(/15:00[\s\S]+16:00/);
  expect([store.world.holds, await listed(store)]).toEqual([[], []]);
});

test('when one of two times is taken, a person is asked for neither, and the other one is free again', async () => {
  const store = await openStore('book');
  await store.say('quero marcar um horário amanhã');
  store.world.free = [at(1, 9), at(1, 15)];
  store.world.model = ({ results, tools }) => {
    const offers = tools.find(({ name }) => name === 'book')?.input.properties.offer?.anyOf ?? [];
    const calls = offers.slice(0, 2).map(({ const: offer }: { const: string }, place: number) => ({
      ...{ id: String(place), name: 'book', input: { offer } },
    })) as unknown as Calls;
    return results.some(({ name }) => name === 'book')
      ? { action: 'reply', text: 'ok', usedPassages: [] }
      : { action: 'use_tools', calls };
  };
  expect(await store.say('os dois primeiros')).toMatchObject({ reason: 'sent' });
  expect((await explain(store)).tools.map(({ output }) => output.error)).toEqual([
    ...['not_asked', 'appointment_conflict'],
  ]);
  expect([store.world.holds, store.world.free]).toEqual([[], [at(1, 9), at(1, 15)]]);
});

test('a lead who accepts the same time again has it held once', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  await store.say('pode ser às 10');
  expect(store.world.holds).toHaveLength(1);
  const [second, first] = await listed(store);
  expect(second?.tools[0]?.offer?.held_until).toBe(first?.tools[0]?.offer?.held_until);
  await decide(store, 'confirm', second?.message_id);
  expect((await decide(store, 'confirm', first?.message_id)).tools[0]?.output.error).toBe('appointment_conflict');
  expect(store.world.appointments).toHaveLength(1);
});

test('when a seller writes first, no person is asked, and nothing is held', async () => {
  const store = await openStore('book');
  await store.say('quero marcar um horário amanhã');
  store.world.accept = async () => {
    throw new AppError('ai_paused');
  };
  await store.write('pode ser às 10');
  expect(await store.drain()).toMatchObject({ reason: 'silent (ai_paused)' });
  expect([store.world.holds, store.world.free.includes(at(1, 10)), await listed(store)]).toEqual([[], true, []]);
});

test('an appointment that waits to be moved keeps its new time, and what a person has changed meanwhile', async () => {
  const store = await openStore('move');
  await acceptTen(store);
  await store.say('quero remarcar');
  await store.say('pode ser às 15');
  expect(store.world.holds).toEqual([expect.objectContaining({ start: at(1, 15), duration_minutes: 60 })]);
  await decide(store, 'confirm');
  expect(store.world.appointments).toEqual([expect.objectContaining({ scheduled_at: at(1, 15) })]);
});

test('a time that has passed when a person decides is not booked', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  await assistant.adminSql`update ai_offers set starts_at = now() - interval '1 minute' where store_id = ${store.storeId}`;
  expect((await decide(store, 'confirm')).tools[0]?.output).toEqual({ error: 'outside_booking_window' });
  expect([store.world.appointments, store.world.holds]).toEqual([[], []]);
});

test('what was decided, by whom and when, is listed and explained, also for the lead that a merge leaves', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  const waiting = { message_id: await lastTurn(store), decision: null };
  expect(await listed(store)).toMatchObject([{ ...waiting, tools: [{ tool: 'book', awaits_confirmation: true }] }]);
  await decide(store, 'decline');
  const by = { ...person, name: 'Rui' };
  const made = { decision: 'decline', by, decided_at: expect.any(String) };
  expect(await listed(store)).toMatchObject([
    {
      decision: made,
      tools: [{ output: { error: 'declined' }, offer: { scheduled_at: at(1, 10), held_until: null } }],
    },
  ]);
  expect((await explain(store)).decision).toEqual(made);
  const other = randomUUID();
  await store.merge(other);
  expect([await listed(store), (await listed(store, other)).length]).toEqual([[], 1]);
  expect(await listed(await openStore('book'), other)).toEqual([]);
});

test('who confirms first has decided, also when a second one ends it', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.accept = async () => {
    throw new AppError('service_unavailable');
  };
  await expect(decide(store, 'confirm')).rejects.toMatchObject({ code: 'service_unavailable' });
  store.world.accept = async () => {};
  await assistant.rpc.call(
    decideEffects,
    { params: { leadId: store.leadId, messageId: await lastTurn(store) }, body: { decision: 'confirm' } },
    { ...testContext({ storeId: store.storeId }), actor: { kind: 'api_key', id: randomUUID() } },
  );
  expect((await listed(store))[0]?.decision).toMatchObject({ decision: 'confirm', by: { ...person, name: 'Rui' } });
});

test('a lead who cannot be written to still gets the effect, and the answer names no message', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.accept = async () => {
    throw new AppError('messaging_window_closed');
  };
  expect(await decide(store, 'confirm')).toMatchObject({ message_id: null });
  expect(store.world.appointments).toHaveLength(1);
});

const inputOf: Record<EffectName, (store: TestStore, offer: string) => object> = {
  book: (_, offer) => ({ offer }),
  move: (store, offer) => ({ appointment: store.world.appointments[0]?.id, offer }),
  cancel: (store) => ({ appointment: store.world.appointments[0]?.id }),
  schedule_followup: () => ({ days: 2, message: 'E então?' }),
  update_lead: () => ({ name: 'Bia' }),
};

/** What the store has after the effects of the AI. */
const stateOf = ({ world: { appointments, followups, lead } }: TestStore) =>
  JSON.stringify([appointments, followups, lead]);

test.each(Object.keys(inputOf) as EffectName[])(
  '%s waits where the store marks it, is done at once where it does not, and is not offered to an agent without it',
  async (name) => {
    for (const marks of [[name], []] as const) {
      const store = await openStore();
      await acceptTen(store);
      await store.say('tem outro horário amanhã?');
      await mark(store, [...marks]);
      const before = stateOf(store);
      store.world.model = ({ results, tools }) => {
        const offer = tools.find((tool) => tool.name === 'book')?.input.properties.offer?.anyOf[0]?.const;
        const calls = [{ id: 'c', name, input: inputOf[name](store, offer) }] as unknown as Calls;
        return results.length === 0
          ? { action: 'use_tools', calls }
          : { action: 'reply', text: 'ok', usedPassages: [] };
      };
      const end = await store.say('o de sempre, por favor');
      expect([marks, end.reason]).toEqual([marks, marks.length > 0 ? handedOver.reason : 'sent']);
      expect([marks, stateOf(store) === before]).toEqual([marks, marks.length > 0]);
      if (marks.length > 0) await decide(store, 'confirm');
      expect(stateOf(store)).not.toBe(before);
    }
    const store = await openStore();
    let offered: string[] = [];
    store.world.agent = { tools: toolNames.filter((tool) => tool !== name) };
    store.world.model = ({ tools }) => {
      offered = tools.map((tool) => tool.name);
      return { action: 'use_tools', calls: [{ id: 'c', name, input: {} }] as unknown as Calls };
    };
    await store.say('oi');
    expect(offered).not.toContain(name);
    expect(stateOf(store)).toBe(stateOf(await openStore()));
  },
);

/** Marks effects after the lead has an appointment. */
const mark = (store: TestStore, ai_confirm: EffectName[]) =>
  assistant.rpc.call(updateAssistantSettings, { body: { ai_confirm } }, testContext({ storeId: store.storeId }));

test.each([
  ['a message that the AI did not write', 'message_not_found', async () => randomUUID()],
  ['an answer that asks for nothing', 'nothing_to_confirm', async (store: TestStore) => lastTurn(store)],
] as const)('%s cannot be decided', async (_, code, idOf) => {
  const store = await openStore('book');
  await store.say('quero marcar um horário amanhã');
  for (const decision of ['confirm', 'decline'] as const) {
    await expect(decide(store, decision, await idOf(store))).rejects.toMatchObject({ code });
  }
});

test('a decision that is repeated with its key gets the first answer, although the lead was merged since', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  const request = {
    params: { leadId: store.leadId, messageId: await lastTurn(store) },
    body: { decision: 'decline' },
  } as const;
  const keyed = () =>
    assistant.rpc.call(decideEffects, request, testContext({ storeId: store.storeId, idempotencyKey: 'k' }));
  const first = await keyed();
  store.world.isMerged = true;
  await expect(explain(store)).rejects.toMatchObject({ code: 'lead_not_found' });
  expect(await keyed()).toEqual(first);
});

test('of an unknown lead, neither a message nor its turn is looked for', async () => {
  const store = await openStore('book');
  await acceptTen(store);
  store.world.isMerged = true;
  for (const messageId of [await lastTurn(store), randomUUID()]) {
    await expect(decide(store, 'confirm', messageId)).rejects.toMatchObject({ code: 'lead_not_found' });
    const params = { leadId: store.leadId, messageId };
    const explaining = assistant.rpc.call(explainMessage, { params }, testContext({ storeId: store.storeId }));
    await expect(explaining).rejects.toMatchObject({ code: 'lead_not_found' });
  }
});

test('another store cannot decide', async () => {
  const [store, other] = [await openStore('book'), await openStore('book')];
  await acceptTen(store);
  await expect(decide(other, 'confirm', await lastTurn(store))).rejects.toMatchObject({ code: 'message_not_found' });
  expect(store.world.effects).toEqual([]);
});
