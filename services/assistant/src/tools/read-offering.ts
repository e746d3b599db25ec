import {
  type Appointment,
  type BookingRules,
  getBookingRules,
  listAppointments,
  listStoreServices,
  type Message,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import type { StepCall } from '../turns/step-call.ts';
import { listTold, type OfferRow } from './offer.repository.ts';
import type { Offering } from './offered-tools.ts';

const mostAppointments = 5;
const mostOffers = 20;

/** What the tools of a lead depend on, with what a time takes. */
export type ReadOffering = Omit<Offering, 'offers' | 'appointments'> & {
  readonly offers: readonly OfferRow[];
  readonly appointments: readonly Appointment[];
};

/** Reads what the tools of a lead depend on. `answeredTo`: when the latest message was received that is to be answered. */
export async function readOffering(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  call: StepCall,
  lead: {
    readonly leadId: string;
    readonly messages: readonly Message[];
    readonly answeredTo: Date;
    readonly timezone: string;
  },
): Promise<ReadOffering> {
  const { leadId, messages, answeredTo, timezone } = lead;
  const upcoming = {
    lead_id: leadId,
    status: 'scheduled',
    from: new Date().toISOString(),
    limit: mostAppointments,
  } as const;
  const [rules, services, appointments, told] = await Promise.all([
    readRules(rpc, call),
    rpc.call(listStoreServices, { query: { limit: 50 } }, call),
    rpc.call(listAppointments, { query: upcoming }, call),
    database.lookUp(call, (sql) => listTold(sql, call.storeId, leadId)),
  ]);
  return {
    ...{ books: rules !== undefined, services: services.data, appointments: appointments.data, timezone },
    offers: sentBefore(told, messages, answeredTo),
  };
}

/**
 * The offers whose message the channel took before the lead wrote what is answered now: only those can the lead have
 * accepted. Each time once, that of the newest message first. Pure.
 */
export function sentBefore<Offer extends Pick<OfferRow, 'message_id' | 'starts_at' | 'service_id'>>(
  offers: readonly Offer[],
  messages: readonly Pick<Message, 'id' | 'sent_at'>[],
  answeredTo: Date,
): Offer[] {
  const sentAt = new Map(messages.map(({ id, sent_at }) => [id, sent_at]));
  const sent = offers.filter(({ message_id }) => {
    const at = message_id && sentAt.get(message_id);
    return at && toInstant(at) < answeredTo;
  });
  const keyOf = ({ starts_at, service_id }: Offer) => `${starts_at.getTime()} ${service_id}`;
  return sent
    .filter((offer, place) => sent.findIndex((one) => keyOf(one) === keyOf(offer)) === place)
    .slice(0, mostOffers);
}

export async function readRules(rpc: Dependencies['rpc'], call: StepCall): Promise<BookingRules | undefined> {
  try {
    return await rpc.call(getBookingRules, {}, call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'booking_rules_not_found') return undefined;
    throw error;
  }
}
