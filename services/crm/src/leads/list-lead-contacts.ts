import type { listLeadContacts as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listLeadContacts as listRows } from './lead-contact.repository.ts';
import { toLeadContact } from './lead-contact.ts';

export const listLeadContacts =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const rows = await database.read(context, (sql) => listRows(sql, context.storeId, body.lead_ids));
    return { contacts: rows.map(toLeadContact) };
  };
