import { randomUUID } from 'node:crypto';
import { getMessage, listMessages } from '@mostrador/contracts';
import { readClock } from '@mostrador/kit/database/clock.repository';
import type { Database } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { lockAppointment } from '../appointments/appointment.repository.ts';
import { changeAppointment } from '../appointments/appointment.ts';
import { saveChange } from '../appointments/save-change.ts';
import { deleteBookings } from '../booking/booking.repository.ts';
import { lockRules } from '../booking/rules.repository.ts';
import { lockCalendarConnection } from '../calendars/connection.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { readAnswer } from './read-answer.ts';
import { findAsking, findQuestion, type Question } from './reminder.repository.ts';

/** The customer, through the channel. Scheduling does not know which channel it was. */
const customer = { kind: 'channel', id: null } as const;

type Received = {
  readonly storeId: string;
  readonly leadId: string;
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
};

/**
 * Confirms or cancels the appointment of the lead's latest reminder, if that asked, the message came after it, and it is
 * nothing but one of the words. Each question is answered once, so a repeated call changes nothing.
 */
export async function answerReminder(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  { storeId, leadId, messageId, deadline }: Received,
): Promise<void> {
  const scope = { storeId, deadline, requestId: randomUUID() };
  const [question] = await database.lookUp(scope, (sql) => findQuestion(sql, storeId, leadId));
  if (!question) return;
  const read = (id: string) => rpc.call(getMessage, { params: { leadId, messageId: id } }, scope);
  const said = await unlessGone(read(messageId));
  const answer = said && readAnswer(said.body, question);
  if (!answer) return;
  const asked = await unlessGone(read(question.id));
  // Both moments are by the clock of messaging.
  if (!asked?.sent_at || asked.sent_at > said.created_at) return;
  await record(database, scope, question, answer);
  relay.nudge();
}

/** More than a lead writes between a reminder and its appointment, together with what it gets. */
const mostMessages = 200;

/** Looks for an answer to this reminder, of which no notice came. Safe to repeat. */
export async function findAnswer(
  { database, rpc, relay }: Pick<Dependencies, 'database' | 'rpc' | 'relay'>,
  context: StoreContext,
  followupId: string,
): Promise<void> {
  const { storeId } = context;
  const [asking] = await database.lookUp(context, (sql) => findAsking(sql, storeId, followupId));
  if (!asking) return;
  const leadId = asking.lead_id;
  const [question] = await database.lookUp(context, (sql) => findQuestion(sql, storeId, leadId));
  // A later reminder may have asked since.
  if (question?.id !== followupId) return;
  const list = await unlessGone(
    rpc.call(listMessages, { params: { leadId }, query: { limit: mostMessages } }, context),
  );
  const asked = await unlessGone(rpc.call(getMessage, { params: { leadId, messageId: question.id } }, context));
  const { sent_at } = asked ?? {};
  if (!list || !sent_at) return;
  const said = list.data
    .filter(({ direction, created_at }) => direction === 'inbound' && created_at >= sent_at)
    // The list has the newest first, and the first answer counts.
    .findLast(({ body }) => readAnswer(body, question) !== null);
  const answer = said && readAnswer(said.body, question);
  if (!answer) return;
  await record(database, { storeId, deadline: context.deadline }, question, answer);
  relay.nudge();
}

/** Null for a message that was moved to another lead, or that was never accepted. */
async function unlessGone<Found>(message: Promise<Found>): Promise<Found | null> {
  try {
    return await message;
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}

async function record(
  database: Database,
  scope: { readonly storeId: string; readonly deadline: number },
  { appointment_id, start, asked_at }: Question,
  answer: 'confirm' | 'cancel',
): Promise<void> {
  const { storeId } = scope;
  await database.write({ ...scope, actor: customer }, async (sql) => {
    const [connection, rules] = await Promise.all([lockCalendarConnection(sql, storeId), lockRules(sql, storeId)]);
    const current = await lockAppointment(sql, storeId, appointment_id);
    // Another request may have changed it since the question was read.
    if (current?.status !== 'scheduled' || current.scheduled_at.getTime() !== start.getTime()) return;
    if (current.confirmed_at && current.confirmed_at >= asked_at) return;
    if (answer === 'cancel') await deleteBookings(sql, storeId, [current.id]);
    const changed =
      answer === 'cancel'
        ? changeAppointment(current, { status: 'cancelled' })
        : { ...current, confirmed_at: await readClock(sql) };
    if (changed) await saveChange(sql, { connection, rules }, current, changed);
  });
}
