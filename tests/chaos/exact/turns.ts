import {
  connectChannel,
  connectModel,
  createAgent,
  createAppointment,
  createLead,
  type EffectName,
  putBookingRules,
  type RequestOf,
  receiveSandboxMessage,
  updateAssistantSettings,
} from '@mostrador/contracts';
import { eventStream } from '@mostrador/contracts/events';
import { waitFor } from '@mostrador/testing/wait';
import { startModel } from './model.ts';
import { startPlatform } from './stage.ts';

/** What a lead wants of the AI. */
export type Wish = 'book' | 'ask' | 'move' | 'cancel' | 'follow_up' | 'rename' | 'hand_over';

export type Offer = { readonly id: string; readonly at: string };
export type Lead = {
  readonly id: string;
  readonly phone: string;
  readonly number: number;
  readonly wish: Wish;
  /** Of one who moves or cancels it. */
  readonly appointment: string;
  /** The time that the lead takes, of those that it was offered. */
  readonly offer: Offer;
  /** The turns that came before the one that a kill interrupts. */
  readonly turnsBefore: number;
};

/** What the rows show of a lead's last turn. */
export type Shown = {
  /** How many turns the lead has had, from the one on that a kill interrupts. */
  readonly turns: number;
  readonly turn: string | null;
  readonly started: boolean;
  readonly claimed: boolean;
  readonly action: string | null;
  readonly call: 'asked' | 'begun' | 'ended' | null;
  /** Whether messaging has accepted its message. */
  readonly told: boolean;
  readonly appointments: number;
};

export type TurnStage = Awaited<ReturnType<typeof startTurnStage>>;

const places = ['a primeira', 'a segunda', 'a terceira', '4', '5'];
/** What a lead needs to be told before it can say what it wants. */
const before: Partial<Record<Wish, string>> = {
  book: 'quero marcar um horário amanhã',
  ask: 'quero marcar um horário amanhã',
  move: 'quero remarcar para amanhã',
};
const textOf = ({ wish, number }: Pick<Lead, 'wish' | 'number'>): string => {
  const place = places[number % places.length] as string;
  return {
    ...{ book: place, ask: place, move: place, cancel: 'quero cancelar', hand_over: 'quero falar com uma pessoa' },
    ...{ follow_up: 'me escreve daqui a uma semana?', rename: 'meu nome está errado' },
  }[wish];
};
const inThreeDays = () => new Date(Date.now() + 3 * 86_400_000).toISOString();

/** What the model calls a lead whose name is wrong. */
export const rightName = 'Beatriz';

/**
 * The platform around the assistant, with a store whose demo model books, one whose model plans follow-ups and corrects names,
 * and one where a person confirms bookings.
 */
export async function startTurnStage() {
  const stage = await startPlatform({
    service: 'assistant',
    processes: ['crm', 'messaging', 'scheduling', 'assistant', 'workflows'],
  });
  const model = await startModel(async (prompt) => {
    if (prompt.includes('due_at')) return { says: 'Até lá.' };
    if (prompt.includes(rightName)) return { says: 'Corrigido.' };
    return prompt.includes('meu nome está errado')
      ? { uses: 'update_lead', input: { name: rightName } }
      : { uses: 'schedule_followup', input: { days: 7, message: 'Oi de novo' } };
  });
  const { adminSql } = stage.database;

  async function newStore(
    phone: string,
    connection: RequestOf<typeof connectModel>['body'],
    ai_confirm: EffectName[] = [],
  ) {
    const { id } = await stage.newStore();
    const { sandbox_url } = await stage.call(connectChannel, { body: { provider: 'sandbox', phone } }, id);
    await stage.call(connectModel, { body: connection }, id);
    const agent = { name: 'Ana', priority: 1, is_default: true, language: 'pt-BR' } as const;
    await stage.call(createAgent, { body: agent }, id);
    await stage.call(putBookingRules, { body: { overlap: 'reject', capacity: 40 } }, id);
    await stage.call(updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 0, ai_confirm } }, id);
    return { id, token: sandbox_url?.split('/').at(-1) as string };
  }
  const store = await newStore('5511900000000', { provider: 'demo' });
  const otherStore = await newStore('5511900000001', model.connection);
  const askingStore = await newStore('5511900000002', { provider: 'demo' }, ['book']);
  const storeOf = (wish: Wish) => {
    if (wish === 'ask') return askingStore;
    return wish === 'follow_up' || wish === 'rename' ? otherStore : store;
  };

  const writeText = ({ wish, phone: customer_phone }: Pick<Lead, 'wish' | 'phone'>, text: string) =>
    stage.call(receiveSandboxMessage, { body: { token: storeOf(wish).token, customer_phone, name: 'Lead', text } });

  /** What the AI has written to a lead that the channel has taken. */
  const saidTo = async ({ id }: Pick<Lead, 'id'>): Promise<string[]> =>
    (
      await adminSql<{ body: string }[]>`
        select body from messaging.messages where lead_id = ${id} and source = 'ai' and sent_at is not null order by number`
    ).map(({ body }) => body);

  let leads = 0;
  /** A lead who has all that it needs to say what it wants. */
  async function newLead(wish: Wish): Promise<Lead> {
    const number = leads++;
    const phone = String(5_511_970_000_000 + number);
    const storeId = storeOf(wish).id;
    const { id: lead_id } = await stage.call(
      createLead,
      { body: { name: `Lead ${number}`, customer_phone: phone } },
      storeId,
    );
    const body = { lead_id, title: 'Corte', scheduled_at: inThreeDays(), duration_minutes: 30 };
    const appointment =
      wish === 'move' || wish === 'cancel' ? (await stage.call(createAppointment, { body }, storeId)).id : '';
    const lead = { id: lead_id, phone, number, wish, appointment, offer: { id: '', at: '' }, turnsBefore: 0 };
    const question = before[wish];
    if (!question) return lead;
    await writeText(lead, question);
    await waitFor(async () => (await saidTo(lead)).length === 1, { description: 'times are offered' });
    const offers = await adminSql<{ id: string; starts_at: Date }[]>`
      select id, starts_at from ai_offers where lead_id = ${lead_id} order by place`;
    const { id, starts_at } = offers[number % places.length] as (typeof offers)[number];
    return { ...lead, offer: { id, at: starts_at.toISOString() }, turnsBefore: 1 };
  }

  async function shownOf({ id, turnsBefore }: Lead): Promise<Shown> {
    const [shown] = await adminSql<[Shown]>`
      select (select count(*)::int from ai_turns where lead_id = ${id}) - ${turnsBefore}::int as turns,
        turn.state as turn, turn.started_at is not null as started, turn.lease_token is not null as claimed, turn.action,
        (select case when output is not null then 'ended' when begun_at is not null then 'begun' else 'asked' end
         from ai_steps where turn_id = turn.id and kind = 'tool' order by n desc, call desc limit 1) as call,
        exists (select from messaging.messages where id = turn.id) as told,
        (select count(*)::int from scheduling.appointments where lead_id = ${id}) as appointments
      from (select) one
      left join lateral (select * from ai_turns where lead_id = ${id} order by created_at desc, id desc limit 1) turn on true`;
    return shown;
  }

  return {
    ...stage,
    store,
    askingStore,
    newLead,
    saidTo,
    shownOf,
    /** The lead says what it wants. */
    write: (lead: Lead) => writeText(lead, textOf(lead)),
    /** The lead writes on while its turn is open, and the turn knows it. */
    async writeOn(lead: Lead) {
      await writeText(lead, 'obrigado');
      const known = () => adminSql`select from ai_turns where lead_id = ${lead.id} and next_received_at is not null`;
      await waitFor(async () => (await known()).length > 0, { description: 'the turn knows the next message' });
    },
    /** Waits until each event has been handled, also those that a dead process had, no turn is open, and all was sent. */
    async untilAllIsDone() {
      const manager = await stage.nats.nats.jetstreamManager();
      const description = 'no event, turn or message waits';
      await waitFor(
        async () => {
          const { num_pending, num_ack_pending } = await manager.consumers.info(eventStream.name, 'assistant-turns');
          const open = await adminSql`
            select from ai_turns where state = 'open'
            union all select from messaging.messages where status in ('queued', 'sending')`;
          return num_pending + num_ack_pending + open.length === 0;
        },
        { description, timeoutMs: 240_000 },
      );
    },
    async stop() {
      await stage.stop();
      model.stop();
    },
  };
}
