import type { Json } from './api.ts';
import type { Line, Scene, StoreSetup } from './conversation.ts';
import { type Customer, createCustomer, type Said } from './customer.ts';
import { type EndState, judge } from './judge.ts';
import type { Trial } from './results.ts';
import {
  type Answering,
  addAppointment,
  addLead,
  type EvalLead,
  type EvalStore,
  openStore,
  type Platform,
} from './store.ts';

/** What a customer does from the first message on, until the customer has nothing more to say. */
export type Part = (customer: Customer, store: EvalStore) => Promise<void>;

/** A customer who says these lines. */
export const scripted =
  (lines: readonly Line[]): Part =>
  async (customer) => {
    for (const line of lines) {
      // Who was told that a person will answer waits for that person.
      if (customer.isHandedOver()) break;
      await customer.next(line);
    }
  };

/** Plays a conversation once, in a store of its own, and judges what it ended with. */
export async function play(
  platform: Platform,
  scene: Scene,
  setup: StoreSetup,
  answering: Answering,
  { answerWithinMs, part }: { readonly answerWithinMs: number; readonly part: Part },
): Promise<Trial> {
  const { has = [], ends, demo_ends, without_booking = false } = scene;
  const store = await openStore(platform, setup, answering, { books: !without_booking });
  const lead = await addLead(store.api, 'Ana');
  for (const moment of has) await addAppointment(store, lead, moment);
  const before = await store.api('GET', `/leads/${lead.id}`);
  const customer = createCustomer(store, lead, { answerWithinMs });
  const begunAt = performance.now();
  const faults: string[] = [];
  try {
    await part(customer, store);
  } catch (error) {
    faults.push((error as Error).message);
  }
  const ms = Math.round(performance.now() - begunAt);
  const state = await readEnd(store, lead, before, customer);
  const ending = answering.provider === 'demo' && demo_ends ? demo_ends : ends;
  faults.push(...judge(ending, state));
  return { faults, transcript: customer.said, ms, ...(await usageOf(store)) };
}

/** What the conversation of a customer has ended with. */
export async function readEnd(
  { api, localOf }: EvalStore,
  lead: EvalLead,
  before: Json,
  { ends, said }: { readonly ends: readonly Json[]; readonly said: readonly Said[] },
): Promise<EndState> {
  const answers = ends.filter(({ type }) => type !== 'assistant.silent');
  const [appointments, followups, now, ...explained] = await Promise.all([
    api('GET', `/appointments?lead_id=${lead.id}&limit=200`),
    api('GET', `/followups/scheduled?lead_id=${lead.id}&limit=200`),
    api('GET', `/leads/${lead.id}`),
    ...answers.map(({ data }) => api('GET', `/leads/${lead.id}/messages/${data.message_id}/explanation`)),
  ]);
  const rest = lastingOf(now);
  return {
    appointments: appointments.data
      .map(({ scheduled_at, status }: Json) => ({ ...localOf(scheduled_at), status }))
      .toSorted((one: Json, other: Json) => one.day - other.day || one.time.localeCompare(other.time)),
    handedOver: answers.some(({ type }) => type === 'assistant.handed_over'),
    followups: followups.data.map(({ due_at }: Json) => localOf(due_at).day),
    lead: Object.fromEntries(
      Object.entries(rest).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member])),
    ),
    replies: said.filter(({ from }) => from === 'store').map(({ text }) => text),
    cited: explained.flatMap(({ passages }) =>
      passages.filter(({ used }: Json) => used).map(({ title }: Json) => title),
    ),
    lastIsSilent: ends.at(-1)?.type === 'assistant.silent',
  };
}

/** A lead without what a conversation changes by itself, some of it a while after the answer. */
export function lastingOf(lead: Json): Json {
  const { interaction_count: _, updated_at: _at, ai_paused_until: _paused, ai_paused_by: _by, ...lasting } = lead;
  return lasting;
}

/** The calls to models of a store, which has had one conversation. */
async function usageOf({ api }: EvalStore): Promise<Pick<Trial, 'calls' | 'tokens'>> {
  const { data } = await api('GET', '/ai/usage');
  const sum = (member: string): number => data.reduce((all: number, day: Json) => all + (day[member] ?? 0), 0);
  return { calls: sum('calls'), tokens: { input: sum('input_tokens'), output: sum('output_tokens') } };
}
