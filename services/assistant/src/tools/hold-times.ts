import {
  type EffectNames,
  holdForDecision,
  mostBufferMinutes,
  type RequestOf,
  releaseHold,
} from '@mostrador/contracts';
import { minuteMs } from '@mostrador/hours/local-days';
import { AppError } from '@mostrador/kit/rpc/errors';
import { fingerprintOf } from '@mostrador/kit/rpc/fingerprint';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import type { StepCall } from '../turns/step-call.ts';
import type { TurnRow } from '../turns/turn.ts';
import type { ReadOffering } from './read-offering.ts';
import { listHeld } from './step.repository.ts';
import type { CallRow, NewCall } from './step.ts';

type Wish = Omit<RequestOf<typeof holdForDecision>['body'], 'id'>;
type Held = Required<Pick<NewCall, 'hold_id' | 'held_until'>>;
type Taking = Pick<ReadOffering, 'offers' | 'appointments'>;
type Asking = {
  readonly turn: Pick<TurnRow, 'id' | 'lead_id'>;
  readonly asksFor: EffectNames;
  readonly offering: Taking;
};

/** Whether a person is asked for a call of a model's answer. */
export const isAsked = ({ tool, output }: Pick<NewCall, 'tool' | 'output'>, asksFor: EffectNames): boolean =>
  output === null && asksFor.some((name) => name === tool);

/**
 * Holds the times of the calls for which a person is asked, so that no other customer takes them before the decision. When
 * another customer has just taken one, its call has that as its output and no person is asked: the model decides again. A
 * crash leaves a hold that ends by itself.
 */
export async function holdTimes(
  dependencies: Pick<Dependencies, 'database' | 'rpc'>,
  step: StepCall,
  calls: readonly NewCall[],
  { turn, asksFor, offering }: Asking,
): Promise<readonly NewCall[]> {
  const wishOf = (call: NewCall) => (isAsked(call, asksFor) ? wishedTime(call, offering) : undefined);
  if (!calls.some(wishOf)) return calls;
  // The lead may accept again what a person is already asked for.
  const earlier = await dependencies.database.lookUp(step, (sql) => listHeld(sql, step.storeId, turn.lead_id));
  const held: NewCall[] = [];
  const fresh: Held[] = [];
  for (const call of calls) {
    const wish = wishOf(call);
    const known = wish && earlier.find((one) => isSameTime(wishedTime(one, offering), wish));
    const hold = known ?? (wish && (await holdTime(dependencies, step, turn, wish)));
    if (hold === 'taken' && !mayOverlapItself(call, offering)) {
      await releaseHolds(dependencies, step, fresh);
      return calls.map((one) => {
        if (one === call) return { ...one, output: { error: 'appointment_conflict' } };
        return isAsked(one, asksFor) ? { ...one, output: { error: 'not_asked' } } : one;
      });
    }
    if (!hold || typeof hold === 'string') {
      held.push(call);
      continue;
    }
    if (hold !== known) fresh.push(hold);
    held.push({ ...call, hold_id: hold.hold_id, held_until: hold.held_until });
  }
  return held;
}

/** Gives held times back. One that cannot be given back ends by itself. */
export async function releaseHolds(
  { rpc }: Pick<Dependencies, 'rpc'>,
  step: StepCall,
  held: readonly Pick<CallRow, 'hold_id'>[],
): Promise<void> {
  for (const { hold_id: holdId } of held) {
    if (holdId === null) continue;
    try {
      await rpc.call(releaseHold, { params: { holdId } }, step);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

/**
 * Runs a booking with the hold of its call, or without it when the hold has ended or the time has become another: the time
 * may still be free.
 */
export async function withHold<Result>(
  dependencies: Pick<Dependencies, 'rpc'>,
  step: StepCall,
  call: Pick<CallRow, 'hold_id'>,
  book: (hold: { readonly hold_id?: string }) => Promise<Result>,
): Promise<Result> {
  if (call.hold_id === null) return await book({});
  try {
    return await book({ hold_id: call.hold_id });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'hold_not_found' && error.code !== 'validation_failed') throw error;
    await releaseHolds(dependencies, step, [call]);
    return await book({});
  }
}

/** The offer that a call takes and the appointment that it moves, as far as it names them. Pure. */
function namedBy({ input }: Pick<NewCall, 'input'>, { offers, appointments }: Taking) {
  const ids = input as { readonly offer?: string; readonly appointment?: string };
  return {
    offer: offers.find(({ id }) => id === ids.offer),
    moved: appointments.find(({ id }) => id === ids.appointment),
  };
}

/** The time that a call takes. Undefined: it takes none. Pure. */
function wishedTime(call: Pick<NewCall, 'tool' | 'input'>, offering: Taking): Wish | undefined {
  if (call.tool !== 'book' && call.tool !== 'move') return undefined;
  const { offer, moved } = namedBy(call, offering);
  const taken = call.tool === 'book' ? offer : moved;
  if (!offer || !taken) return undefined;
  return {
    start: offer.starts_at.toISOString(),
    duration_minutes: taken.duration_minutes,
    service_id: taken.service_id ?? null,
    seller_id: moved?.seller_id ?? null,
  };
}

const isSameTime = (one: Wish | undefined, other: Wish): boolean =>
  one !== undefined && fingerprintOf(one) === fingerprintOf(other);

/** A moved appointment still has its place, which its new time may overlap. Pure. */
function mayOverlapItself(call: Pick<NewCall, 'tool' | 'input'>, offering: Taking): boolean {
  const { offer, moved } = namedBy(call, offering);
  if (call.tool !== 'move' || !offer || !moved) return false;
  const apart = Math.abs(offer.starts_at.getTime() - toInstant(moved.scheduled_at).getTime());
  return apart < (moved.duration_minutes + 2 * mostBufferMinutes) * minuteMs;
}

/** `taken`: another customer was faster. Undefined: the store holds no times, or not this one. */
async function holdTime(
  { rpc }: Pick<Dependencies, 'rpc'>,
  step: StepCall,
  turn: Pick<TurnRow, 'id'>,
  wish: Wish,
): Promise<Held | 'taken' | undefined> {
  // The step may be repeated, and then has the same hold.
  const body = { ...wish, id: idOf(fingerprintOf({ turn: turn.id, wish })) };
  try {
    const { id, expires_at } = await rpc.call(holdForDecision, { body }, step);
    return { hold_id: id, held_until: toInstant(expires_at) };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return error.code === 'appointment_conflict' ? 'taken' : undefined;
  }
}

/** A UUID of version 8 from a hash in hex. */
const idOf = (hash: string): string => hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
