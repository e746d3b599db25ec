import type { getLeadContact as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findLeadContact } from './lead-contact.repository.ts';
import { toLeadContact } from './lead-contact.ts';
import { leadNotFound } from './lead-not-found.ts';

export const getLeadContact =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const [contact] = await database.lookUp(context, (sql) => findLeadContact(sql, context.storeId, body.lead_id));
    if (!contact) throw await database.read(context, (sql) => leadNotFound(sql, context.storeId, body.lead_id));
    return toLeadContact(contact);
  };
