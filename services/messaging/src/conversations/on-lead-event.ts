import { randomUUID } from 'node:crypto';
import { getLeadContact } from '@mostrador/contracts';
import type { EventOf } from '@mostrador/kit/delivery/events-consumer';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { followPhone } from './change-contact-phone.ts';

/** The events of crm that concern conversations. */
export const leadEvents = ['crm.lead.phone_changed'] as const;

/** Makes up for a `changeContactPhone` that did not arrive. Idempotent, in any order and after any delay. */
export const onLeadEvent =
  ({ database, rpc }: Pick<Dependencies, 'database' | 'rpc'>) =>
  async (event: EventOf<(typeof leadEvents)[number]>, { deadline }: { deadline: number }): Promise<void> => {
    const { store_id: storeId, data } = event;
    const context = { requestId: randomUUID(), storeId, deadline };
    const contact = await rpc.call(getLeadContact, { body: data }, context).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'lead_not_found') return undefined;
      throw error;
    });
    const { customer_phone, version } = contact ?? {};
    if (customer_phone === undefined || version === undefined) return;
    await database.write(context, (sql) =>
      followPhone(sql, storeId, { lead_id: data.lead_id, customer_phone, version }),
    );
  };
