import { randomUUID } from 'node:crypto';
import {
  acceptMessage,
  advanceFollowup,
  cancelFollowup,
  checkTemplate,
  createFollowup,
  type Followup,
  getFollowup,
  getOptOut,
  getStoreSettings,
  type NextStep,
  type ReplyOf,
  type RequestOf,
  updateFollowup,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, type TestContextOptions, testContext } from '@mostrador/testing/context';
import type { TestScheduling } from './scheduling.ts';

export type Accepted = Omit<ReplyOf<typeof acceptMessage>, 'id'>;
export type Asked = RequestOf<typeof acceptMessage>['body'];

/** Starts stand-ins for the services that follow-ups call: a scripted messaging and accounts with a time zone. */
export async function startFollowups(scheduling: TestScheduling) {
  const asked: Asked[] = [];
  const world = {
    timezone: 'UTC',
    /** When the lead opted out, as messaging says. */
    optedOutAt: null as string | null,
    /** What messaging says against a template. */
    templateError: null as 'template_not_found' | 'template_not_approved' | null,
    templateFaults: [] as { pointer: string; detail: string }[],
    /** The answer of messaging. By default every message is sent. */
    answer: async (_message: Asked): Promise<Accepted> => ({ status: 'sent', error: null }),
  };
  const nats = scheduling.nats.nats;
  const messaging = createRpcServer({
    nats,
    service: 'messaging',
    operations: { acceptMessage, checkTemplate, getOptOut },
    handlers: {
      acceptMessage: async (_context, { body }) => {
        asked.push(body);
        return { id: body.id, ...(await world.answer(body)) };
      },
      checkTemplate: async () => {
        if (world.templateError) throw new AppError(world.templateError);
        return { faults: world.templateFaults };
      },
      getOptOut: async () => ({ opted_out_at: world.optedOutAt }),
    },
    log: silentLog(),
  });
  const accounts = createRpcServer({
    nats,
    service: 'accounts',
    operations: { getStoreSettings },
    handlers: { getStoreSettings: async () => ({ timezone: world.timezone, locale: 'pt-BR' }) },
    log: silentLog(),
  });
  await nats.flush();
  const storeId = randomUUID();
  const leadId = scheduling.addLead(storeId);
  const context = (timeoutMs?: number) => testContext({ storeId, timeoutMs });
  const { rpc, adminSql } = scheduling;
  return {
    asked,
    world,
    storeId,
    leadId,
    /** Creates a follow-up that is due in a day unless the body says otherwise. */
    create: (body: Partial<RequestOf<typeof createFollowup>['body']> = {}): Promise<Followup> => {
      const when = body.due_at === undefined ? { delay_minutes: 1440 } : {};
      return rpc.call(createFollowup, { body: { lead_id: leadId, message: 'Hello', ...when, ...body } }, context());
    },
    step: (followup_id: string, timeoutMs?: number): Promise<NextStep> =>
      rpc.call(advanceFollowup, { body: { followup_id } }, context(timeoutMs)),
    change: (followupId: string, body: RequestOf<typeof updateFollowup>['body'], more: TestContextOptions = {}) =>
      rpc.call(updateFollowup, { params: { followupId }, body }, testContext({ storeId, ...more })),
    cancel: (followupId: string, more: TestContextOptions = {}) =>
      rpc.call(cancelFollowup, { params: { followupId } }, testContext({ storeId, ...more })),
    read: (followupId: string) => rpc.call(getFollowup, { params: { followupId } }, context()),
    /** Makes the next attempt due now. */
    makeDue: (id: string) => adminSql`update followups set next_attempt_at = now() where id = ${id}`,
    endLease: (id: string) => adminSql`update followups set lease_until = now() where id = ${id}`,
    askedOf: (id: string) => asked.filter((message) => message.id === id).length,
    stopMessaging: () => messaging.drain(),
    stop: async () => {
      await Promise.all([messaging.drain(), accounts.drain()]);
    },
  };
}
export type TestFollowups = Awaited<ReturnType<typeof startFollowups>>;
