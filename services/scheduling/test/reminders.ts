import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  acceptMessage,
  advanceFollowup,
  type BookingReminder,
  checkTemplate,
  type Followup,
  getAppointment,
  getMessage,
  listFollowups,
  listMessages,
  type Message,
  type NextStep,
  type RequestOf,
  updateFollowup,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { onMessagingEvent } from '../src/followups/on-messaging-event.ts';
import { startBooking } from './booking.ts';
import type { Accepted, Asked } from './followups.ts';
import { inHours } from './scheduling.ts';

export const day = { minutes_before: 1440, message: '{{name}}, {{service}}: {{time}}', template: null } as const;
export const soon: BookingReminder = {
  ...{ minutes_before: 120, message: 'Soon', template: null, ask_confirmation: false },
};
/** A reminder of the day before, which asks. */
export const asking: BookingReminder = { ...day, ask_confirmation: true };

/** Members that scheduling does not read. */
const anyMessage: Omit<Message, 'id' | 'lead_id' | 'body' | 'created_at' | 'sent_at'> = {
  ...{ session_id: randomUUID(), direction: 'inbound', source: 'lead', status: 'received', error: null, reason: null },
  ...{ next_attempt_at: null, provider_message_id: null, metadata: {}, updated_at: '2026-01-01T00:00:00.000Z' },
  ...{ delivered_at: null, read_at: null, reactions: [] },
};

const outbound = { direction: 'outbound', source: 'followup', status: 'sent' } as const;

/** Starts the service with stand-ins for crm, accounts and messaging. */
export async function startReminders() {
  const booking = await startBooking();
  const asked: Asked[] = [];
  const messages = new Map<string, Pick<Message, 'lead_id' | 'body' | 'created_at' | 'sent_at'>>();
  const world = {
    /** The answer of messaging. By default every message is sent. */
    answer: async (_message: Asked): Promise<Accepted> => ({ status: 'sent', error: null }),
    /** The templates that the channel does not have. */
    unknownTemplates: new Set<string>(),
    /** What messaging says against every other template. */
    templateFaults: [] as { pointer: string; detail: string }[],
  };
  const messaging = createRpcServer({
    nats: booking.nats.nats,
    service: 'messaging',
    operations: { acceptMessage, checkTemplate, getMessage, listMessages },
    handlers: {
      checkTemplate: async (_context, { body }) => {
        if (world.unknownTemplates.has(body.template.name)) throw new AppError('template_not_found');
        return { faults: world.templateFaults };
      },
      acceptMessage: async (_context, { body }) => {
        asked.push(body);
        const answer = await world.answer(body);
        const at = new Date().toISOString();
        const sent_at = answer.status === 'sent' ? at : null;
        messages.set(body.id, { body: body.message, created_at: at, sent_at, lead_id: body.lead_id });
        return { id: body.id, ...answer };
      },
      getMessage: async (_context, { params }) => {
        const message = messages.get(params.messageId);
        if (message?.lead_id !== params.leadId) throw new AppError('message_not_found');
        return { ...anyMessage, ...message, id: params.messageId };
      },
      listMessages: async (_context, { params }) => {
        const data = [...messages].flatMap(([id, message]) =>
          message.lead_id === params.leadId
            ? [{ ...anyMessage, ...message, id, ...(message.sent_at && outbound) }]
            : [],
        );
        return { data: data.toReversed(), total: data.length, page: 1, limit: 200 };
      },
    },
    log: silentLog(),
  });
  await booking.nats.nats.flush();
  const { rpc, adminSql } = booking;
  const step = (storeId: string, followup_id: string): Promise<NextStep> =>
    rpc.call(advanceFollowup, { body: { followup_id } }, testContext({ storeId }));
  return {
    ...booking,
    asked,
    reply: world,
    /** A store in which appointments may overlap, with these reminders, and a lead of it. */
    async reminding(reminders: readonly BookingReminder[], more: Parameters<typeof booking.rules>[1] = {}) {
      const storeId = await booking.store({ overlap: 'allow', reminders: [...reminders], ...more });
      return { storeId, lead_id: booking.addLead(storeId) };
    },
    read: (storeId: string, appointmentId: string): Promise<Appointment> =>
      rpc.call(getAppointment, { params: { appointmentId } }, testContext({ storeId })),
    remindersOf: async (storeId: string, appointment_id: string): Promise<Followup[]> =>
      (await rpc.call(listFollowups, { query: { appointment_id } }, testContext({ storeId }))).data,
    edit: (storeId: string, followupId: string, body: RequestOf<typeof updateFollowup>['body']) =>
      rpc.call(updateFollowup, { params: { followupId }, body }, testContext({ storeId })),
    step,
    makeDue: (id: string) =>
      adminSql`update followups set due_at = now() - interval '1 second', next_attempt_at = now() where id = ${id}`,
    /** Sends the reminder now. */
    async send(storeId: string, { id }: Pick<Followup, 'id'>): Promise<NextStep> {
      await this.makeDue(id);
      return await step(storeId, id);
    },
    /** A message of the lead, of which scheduling gets no notice. Returns its id. */
    write(lead_id: string, body: string, at = new Date()): string {
      const id = randomUUID();
      messages.set(id, { body, created_at: at.toISOString(), sent_at: null, lead_id });
      return id;
    },
    /** Tells scheduling of a message of the lead, as the event consumer does. Returns a function that tells it again. */
    async say(storeId: string, lead_id: string, body: string, at = new Date()) {
      const message_id = this.write(lead_id, body, at);
      const received_at = at.toISOString();
      const tell = () =>
        onMessagingEvent(booking.dependencies)(
          {
            ...{ id: randomUUID(), type: 'messaging.message.received', store_id: storeId, occurred_at: received_at },
            data: { message_id, lead_id, session_id: randomUUID(), received_at },
          },
          { deadline: Date.now() + 30_000 },
        );
      await tell();
      return tell;
    },
    async stop() {
      await messaging.drain();
      await booking.stop();
    },
  };
}

export type TestReminders = Awaited<ReturnType<typeof startReminders>>;

/** A moment in some hours, on the full minute. */
export const soonAt = (hours: number): string => `${inHours(hours).slice(0, 16)}:00.000Z`;
