import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  createAppointment,
  createHold,
  createService,
  findBookedSellers,
  getAvailability,
  getStoreSettings,
  putBookingRules,
  type RequestOf,
  updateAppointment,
} from '@mostrador/contracts';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, type TestContextOptions, testContext } from '@mostrador/testing/context';
import type { BookedSeller } from '../src/booking/take-places.ts';
import { startScheduling } from './scheduling.ts';

type Body<O extends typeof createAppointment | typeof createHold | typeof createService> = RequestOf<O>['body'];
export type Rules = RequestOf<typeof putBookingRules>['body'];

/** Starts the service with stand-ins for crm, which has the sellers, and for accounts, which has the zone. */
export async function startBooking() {
  const scheduling = await startScheduling();
  const { rpc, adminSql } = scheduling;
  const sellers = new Map<string, BookedSeller & { storeId: string }>();
  const world = { timezone: 'UTC' };
  const servers = [
    createRpcServer({
      nats: scheduling.nats.nats,
      service: 'crm',
      operations: { findBookedSellers },
      handlers: {
        findBookedSellers: async ({ storeId }, { body }) => ({
          sellers: body.seller_ids.flatMap((id) => {
            const seller = sellers.get(id);
            return seller?.storeId === storeId ? [seller] : [];
          }),
        }),
      },
      log: silentLog(),
    }),
    createRpcServer({
      nats: scheduling.nats.nats,
      service: 'accounts',
      operations: { getStoreSettings },
      handlers: { getStoreSettings: async () => ({ timezone: world.timezone, locale: 'en' }) },
      log: silentLog(),
    }),
  ];
  await scheduling.nats.nats.flush();
  return {
    ...scheduling,
    world,
    addSeller(storeId: string, seller: Partial<BookedSeller> = {}): string {
      const id = randomUUID();
      sellers.set(id, { id, is_active: true, bookable: true, hours: null, ...seller, storeId });
      return id;
    },
    setSeller(id: string, change: Partial<BookedSeller>) {
      const seller = sellers.get(id);
      if (seller) sellers.set(id, { ...seller, ...change });
    },
    removeSeller: (id: string) => sellers.delete(id),
    /** A store with these rules. */
    async store(rules: Partial<Rules> = {}): Promise<string> {
      const storeId = randomUUID();
      await this.rules(storeId, rules);
      return storeId;
    },
    rules: (storeId: string, rules: Partial<Rules> = {}) =>
      rpc.call(putBookingRules, { body: { overlap: 'reject', ...rules } }, testContext({ storeId })),
    service: (storeId: string, body: Partial<Body<typeof createService>> = {}) =>
      rpc.call(createService, { body: { name: 'Haircut', duration_minutes: 60, ...body } }, testContext({ storeId })),
    book: (
      storeId: string,
      scheduled_at: string,
      body: Partial<Body<typeof createAppointment>> = {},
      options: TestContextOptions = {},
    ): Promise<Appointment> =>
      rpc.call(
        createAppointment,
        { body: { title: 'Haircut', scheduled_at, ...body } },
        testContext({ storeId, body: { scheduled_at, ...body }, ...options }),
      ),
    change: (storeId: string, appointmentId: string, body: RequestOf<typeof updateAppointment>['body']) =>
      rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId })),
    hold: (storeId: string, start: string, body: Partial<Body<typeof createHold>> = {}) =>
      rpc.call(createHold, { body: { start, duration_minutes: 60, ...body } }, testContext({ storeId })),
    free: (storeId: string, query: RequestOf<typeof getAvailability>['query']) =>
      rpc.call(getAvailability, { query }, testContext({ storeId })),
    expire: (holdId: string) =>
      adminSql`update bookings set expires_at = now() - interval '1 second' where id = ${holdId}`,
    /** The places that are taken now, without expired holds. */
    taken: async (storeId: string) =>
      await adminSql<{ id: string; place: string; seller_id: string | null; starts_at: Date; ends_at: Date }[]>`
        select id, place, seller_id, starts_at, ends_at from bookings
        where store_id = ${storeId} and (expires_at is null or expires_at > now()) order by starts_at, place`,
    async stop() {
      await Promise.all(servers.map((server) => server.drain()));
      await scheduling.stop();
    },
  };
}

export type TestBooking = Awaited<ReturnType<typeof startBooking>>;

/** The code of a refusal, or `done`. */
export const outcomeOf = (booking: Promise<unknown>): Promise<string> =>
  booking.then(
    () => 'done',
    (error) => (error as { code?: string }).code ?? String(error),
  );
