import {
  cancelFollowup,
  createAppointment,
  getAppointment,
  listAppointments,
  type Operation,
  type RequestOf,
  updateAppointment,
} from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { replay, reply, serializeReply } from '@mostrador/kit/rpc/server';
import type { TestGateway } from './gateway.ts';

export const appointmentId = '0198c1f4-5f5e-7c3a-9d0b-1f2e3d4c5b6a';
export const appointmentBody = { title: 'Corte de cabelo', scheduled_at: '2027-01-31T06:00:00-03:00' };

/** A request that the stand-in of scheduling got. */
export type Asked = { readonly context: StoreContext; readonly request: RequestOf<Operation> };

/**
 * Serves scheduling's operations over NATS without its rules: every request gets the same appointment. It tests the
 * gateway's requests and responses, not scheduling. The idempotency key `again` gets a replay.
 */
export async function serveScheduling(gateway: TestGateway) {
  const asked: Asked[] = [];
  /** Runs before the answer. A test can make it throw. */
  const before: { answer?: (context: StoreContext) => Promise<void> } = {};
  const take = async (context: StoreContext, request: RequestOf<Operation>) => {
    asked.push({ context, request });
    await before.answer?.(context);
  };
  const operations = { cancelFollowup, createAppointment, getAppointment, listAppointments, updateAppointment };
  await gateway.serve('scheduling', operations, {
    cancelFollowup: async (context, request) => {
      await take(context, request);
      return { cancelled: true as const, id: request.params.followupId };
    },
    createAppointment: async (context, request) => {
      await take(context, request);
      const appointment = appointmentOf(context.storeId);
      if (context.idempotency?.key !== 'again') return reply(appointment, { etag: '"v1"' });
      return replay(serializeReply(createAppointment, appointment), { etag: '"v1"' });
    },
    getAppointment: async (context, request) => {
      await take(context, request);
      return reply(appointmentOf(context.storeId), { etag: '"v1"' });
    },
    listAppointments: async (context, request) => {
      await take(context, request);
      return reply({ data: [], total: 0, page: 1, limit: 50 }, { nextCursor: 'abc+/=' });
    },
    updateAppointment: async (context, request) => {
      await take(context, request);
      return reply(appointmentOf(context.storeId), { etag: '"v2"' });
    },
  });
  return { asked, before };
}

const appointmentOf = (storeId: string) => ({
  id: appointmentId,
  store_id: storeId,
  lead_id: null,
  title: appointmentBody.title,
  scheduled_at: '2027-01-31T09:00:00.000Z',
  duration_minutes: 60,
  status: 'scheduled' as const,
  notes: null,
  metadata: {},
  created_at: '2026-11-21T00:00:00.000Z',
  updated_at: '2026-11-21T00:00:00.000Z',
});
