import {
  type Appointment,
  createAppointment,
  createFollowup,
  getAppointment,
  getStoreSettings,
  type Lead,
  updateAppointment,
  updateLead,
} from '@mostrador/contracts';
import type { Idempotency } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';
import type { Dependencies } from '../dependencies.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import type { StepCall } from '../turns/step-call.ts';
import type { TurnRow } from '../turns/turn.ts';
import { type FindTimesInput, findTimes } from './find-times.ts';
import { withHold } from './hold-times.ts';
import { findOffers, type NewOffer, type OfferRow } from './offer.repository.ts';
import { type CallRow, keyOf, type ToolOutput } from './step.ts';

/** What a call gave. `offers`: to be written with it. `spendsOffers`: what was offered to the lead is used up. */
export type Used = {
  readonly output: ToolOutput;
  readonly offers?: readonly NewOffer[];
  readonly spendsOffers?: boolean;
};

/**
 * Makes a tool call for the lead of the turn. A repeated call has the key of the first one, so the owning service answers it
 * as before. A refusal is an output; the step is tried again after any other failure.
 */
export async function useTool(
  dependencies: Dependencies,
  step: StepCall,
  turn: TurnRow,
  call: CallRow,
  how: Pick<Idempotency, 'settles'> = {},
): Promise<Used> {
  const { rpc } = dependencies;
  const { timezone, locale } = await rpc.call(getStoreSettings, {}, step);
  const words = phrases[languageOf(locale)];
  const effect: StepCall = {
    ...step,
    // The person who has confirmed it, if one has.
    actor: step.actor ?? { kind: 'agent', id: turn.agent_id as string },
    idempotency: { key: keyOf(call), scope: `assistant ${call.tool}`, fingerprint: fingerprintOf(call.input), ...how },
  };
  const input = call.input as Inputs & FindTimesInput;
  const { lead_id } = turn;
  try {
    switch (call.tool) {
      case 'find_times':
        return await findTimes(dependencies, step, input, { timezone, title: words.appointment });
      case 'book': {
        const offer = await requireOffer(dependencies, step, turn, call);
        const { title, duration_minutes, service_id } = offer;
        const notes = words.bookedBy(turn.agent_name ?? '');
        const body = {
          title,
          duration_minutes,
          service_id,
          notes,
          lead_id,
          scheduled_at: offer.starts_at.toISOString(),
        };
        const booked = await withHold(dependencies, step, call, (hold) =>
          rpc.call(createAppointment, { body: { ...body, ...hold } }, effect),
        );
        return { ...changed(booked), spendsOffers: true };
      }
      case 'move': {
        const offer = await requireOffer(dependencies, step, turn, call);
        const params = { appointmentId: input.appointment };
        const moved = await withHold(dependencies, step, call, async (hold) => {
          const body = { scheduled_at: offer.starts_at.toISOString() };
          if (!hold.hold_id) return await rpc.call(updateAppointment, { params, body }, effect);
          // What a person has changed meanwhile stays: the hold may not fit then.
          const { duration_minutes, service_id = null } = await rpc.call(getAppointment, { params }, step);
          const held = { ...body, ...hold, duration_minutes, service_id };
          return await rpc.call(updateAppointment, { params, body: held }, effect);
        });
        return { ...changed(moved), spendsOffers: true };
      }
      case 'cancel': {
        const params = { appointmentId: input.appointment };
        return changed(await rpc.call(updateAppointment, { params, body: { status: 'cancelled' } }, effect));
      }
      case 'schedule_followup': {
        const body = { lead_id, message: input.message, delay_minutes: input.days * 24 * 60 };
        const { id, due_at } = await rpc.call(createFollowup, { body }, effect);
        return { output: { followup: { id, due_at } } };
      }
      case 'update_lead': {
        const { name, status } = input;
        const body = { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
        const lead = await rpc.call(updateLead, { params: { leadId: lead_id }, body }, effect);
        return { output: { lead: { name: lead.name, status: lead.status } } };
      }
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500 || error.code === 'idempotency_in_progress') throw error;
    const { alternatives } = error.members ?? {};
    // Times for a person: a model offers only what it has searched for.
    return { output: { error: error.code, ...(step.actor && Array.isArray(alternatives) && { alternatives }) } };
  }
}

/**
 * Learns what became of a call that has begun and is no longer wanted, without a new effect: its result as `useTool` gives it,
 * or `not_made`. Then the owning service has had no such call, and refuses one that arrives late.
 */
export async function settleTool(
  dependencies: Dependencies,
  step: StepCall,
  turn: TurnRow,
  call: CallRow,
): Promise<Used | 'not_made'> {
  if (call.tool === 'find_times') return 'not_made';
  const used = await useTool(dependencies, step, turn, call, { settles: true });
  return used.output.error === 'idempotency_key_reused' ? 'not_made' : used;
}

/** The inputs of all tools. Each was checked against the schema of its tool before. */
type Inputs = {
  readonly offer: string;
  readonly appointment: string;
  readonly days: number;
  readonly message: string;
  readonly name?: string;
  readonly status?: Lead['status'];
};

async function requireOffer(
  { database }: Dependencies,
  step: StepCall,
  { lead_id }: TurnRow,
  { input, begun_at }: CallRow,
): Promise<OfferRow> {
  const { offer: id } = input as Inputs;
  const [offer] = await database.lookUp(step, (sql) => findOffers(sql, step.storeId, lead_id, [id]));
  if (!offer) throw new AppError('appointment_conflict');
  // A person may decide late. A repeated call may have taken it in time.
  if (begun_at === null && offer.starts_at.getTime() <= Date.now()) throw new AppError('outside_booking_window');
  return offer;
}

const changed = ({ id, title, scheduled_at, duration_minutes, status }: Appointment): Used => ({
  output: { appointment: { id, title, scheduled_at, duration_minutes, status } },
});
