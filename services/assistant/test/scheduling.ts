import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  type BookingRules,
  createAppointment,
  createFollowup,
  decisionHoldMinutes,
  type FreeTime,
  getAppointment,
  getAvailability,
  getBookingRules,
  getService,
  type Hold,
  holdForDecision,
  listAppointments,
  listStoreServices,
  type RequestOf,
  releaseHold,
  type Service,
  updateAppointment,
} from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { timezone } from './zone.ts';

/** What scheduling knows of a store. */
export type BookingWorld = {
  /** Whether the store has booking rules. Without them it offers no times. */
  books: boolean;
  free: string[];
  /** What was asked for. */
  searches: RequestOf<typeof getAvailability>['query'][];
  services: Service[];
  appointments: Appointment[];
  /** The times that are held. */
  holds: Hold[];
  followups: { lead_id: string; message: string; delay_minutes?: number | undefined }[];
  /** Who caused each effect, and its key. */
  effects: { key: string | undefined; actor: StoreContext['actor'] }[];
  /** Called before an appointment is written. */
  booking: () => Promise<void>;
  /** Called after an appointment was written, and before its answer. */
  booked: () => Promise<void>;
};

export const newBookingWorld = (): BookingWorld => ({
  ...{ books: false, free: [], searches: [], services: [], appointments: [], holds: [], followups: [], effects: [] },
  booking: async () => {},
  booked: async () => {},
});

export const bookingOperations = {
  ...{ createAppointment, createFollowup, getAvailability, getBookingRules, getService },
  ...{ getAppointment, holdForDecision, listAppointments, listStoreServices, releaseHold, updateAppointment },
};

const rules: BookingRules = {
  ...{
    overlap: 'reject',
    outside_hours: 'reject',
    capacity: 1,
    slot_step_minutes: 30,
    buffer_before_minutes: 0,
    buffer_after_minutes: 0,
  },
  ...{ minimum_notice_minutes: 0, horizon_days: 365, hours: null, exceptions: [], reminders: [] },
  ...{ confirm_words: ['1'], cancel_words: ['2'] },
};
/** How many free times an answer has: fewer than the real 500. */
export const pageOfTimes = 3;
const moment = '2026-01-01T12:00:00.000Z';

/** Stands in for scheduling: a time that is booked is no longer free, and a key has one effect. */
export function bookingHandlers(worldOf: (storeId: string) => BookingWorld): Handlers<typeof bookingOperations> {
  const answers = new Map<string, Appointment | 'withdrawn'>();
  const once = async (context: StoreContext, write: (world: BookingWorld) => Appointment): Promise<Appointment> => {
    const { idempotency, actor, storeId } = context;
    const key = `${storeId} ${idempotency?.scope} ${idempotency?.key}`;
    if (idempotency?.settles && !answers.has(key)) answers.set(key, 'withdrawn');
    const known = answers.get(key);
    if (known === 'withdrawn') throw new AppError('idempotency_key_reused');
    if (known) return known;
    const world = worldOf(storeId);
    await world.booking();
    const written = write(world);
    answers.set(key, written);
    world.effects.push({ key: idempotency?.key, actor });
    await world.booked();
    return written;
  };
  const take = (world: BookingWorld, start: string, holdId?: string) => {
    if (holdId) {
      const hold = world.holds.find(({ id }) => id === holdId);
      if (!hold) throw new AppError('hold_not_found');
      if (hold.start !== start) throw new AppError('validation_failed');
      world.holds = world.holds.filter((one) => one !== hold);
      return;
    }
    const alternatives = world.free.filter((free) => free > start);
    if (!world.free.includes(start)) throw new AppError('appointment_conflict', { members: { alternatives } });
    world.free = world.free.filter((free) => free !== start);
  };
  const none = { total: 0, page: 1, limit: 50 };
  return {
    getBookingRules: async ({ storeId }) => {
      if (!worldOf(storeId).books) throw new AppError('booking_rules_not_found');
      return rules;
    },
    getAvailability: async ({ storeId }, { query }) => {
      const { free: times, appointments, searches } = worldOf(storeId);
      searches.push(query);
      const moving = appointments.find(({ id }) => id === query.appointment_id);
      if (query.appointment_id && !moving) throw new AppError('appointment_not_found');
      // Its own place does not stand in its way.
      const freed = moving ? [...times, moving.scheduled_at].toSorted() : times;
      const free = freed.filter((start) => start >= query.from && start < query.to);
      const data = free.slice(0, pageOfTimes).map((start): FreeTime => ({ start, end: start, seller_id: null }));
      const next_from = free[pageOfTimes] ?? null;
      return { data, timezone, reason: data.length > 0 ? null : 'full', next_from };
    },
    listStoreServices: async ({ storeId }) => ({ ...none, data: worldOf(storeId).services }),
    getService: async ({ storeId }, { params }) => {
      const service = worldOf(storeId).services.find(({ id }) => id === params.serviceId);
      if (!service) throw new AppError('service_not_found');
      return service;
    },
    listAppointments: async ({ storeId }, { query }) => ({
      ...none,
      data: worldOf(storeId).appointments.filter(
        ({ lead_id, status }) => lead_id === query.lead_id && status === 'scheduled',
      ),
    }),
    getAppointment: async ({ storeId }, { params }) => {
      const found = worldOf(storeId).appointments.find(({ id }) => id === params.appointmentId);
      if (!found) throw new AppError('appointment_not_found');
      return found;
    },
    holdForDecision: async ({ storeId }, { body }) => {
      const world = worldOf(storeId);
      const known = world.holds.find(({ id }) => id === body.id);
      if (known) return known;
      take(world, body.start);
      const hold = { ...body, expires_at: new Date(Date.now() + decisionHoldMinutes * 60_000).toISOString() };
      world.holds.push(hold);
      return hold;
    },
    releaseHold: async ({ storeId }, { params: { holdId } }) => {
      const world = worldOf(storeId);
      const hold = world.holds.find(({ id }) => id === holdId);
      if (!hold) throw new AppError('hold_not_found');
      world.holds = world.holds.filter((one) => one !== hold);
      world.free = [...world.free, hold.start].toSorted();
      return { released: true as const, id: holdId };
    },
    createAppointment: (context, { body }) =>
      once(context, (world) => {
        take(world, body.scheduled_at, body.hold_id);
        const appointment: Appointment = {
          ...{ id: randomUUID(), store_id: context.storeId, lead_id: body.lead_id ?? null, title: body.title },
          ...{ scheduled_at: body.scheduled_at, duration_minutes: body.duration_minutes ?? 60, status: 'scheduled' },
          ...{ notes: body.notes ?? null, metadata: {}, service_id: body.service_id ?? null },
          ...{ created_at: moment, updated_at: moment },
        };
        world.appointments.push(appointment);
        return appointment;
      }),
    updateAppointment: (context, { params, body }) =>
      once(context, (world) => {
        const place = world.appointments.findIndex(({ id }) => id === params.appointmentId);
        const found = world.appointments[place];
        if (!found) throw new AppError('appointment_not_found');
        if (body.scheduled_at) take(world, body.scheduled_at, body.hold_id);
        const { scheduled_at = found.scheduled_at, status = found.status } = body;
        const changed = { ...found, scheduled_at, status };
        world.appointments[place] = changed;
        return changed;
      }),
    createFollowup: async ({ storeId }, { body }) => {
      worldOf(storeId).followups.push(body);
      return {
        ...{ id: randomUUID(), lead_id: body.lead_id, message: body.message, template: null, due_at: moment },
        ...{ next_attempt_at: moment, status: 'pending', message_id: null, error: null, cancel_reason: null },
        ...{ cancel_on_reply: true, cancel_on_appointment: false, created_at: moment, updated_at: moment },
      };
    },
  };
}
