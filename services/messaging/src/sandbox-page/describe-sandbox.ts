import type { describeSandbox as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { listSandboxCustomers } from '../channels/sandbox/sandbox.repository.ts';
import { findContact } from '../conversations/find-contact.ts';
import type { Dependencies } from '../dependencies.ts';
import { requireSandbox } from './require-sandbox.ts';

const mostShown = 12;

export const describeSandbox =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { store_id: storeId, id: channelId } = await requireSandbox(dependencies, context, body.token);
    const known = await dependencies.database.read({ storeId, deadline: context.deadline }, (sql) =>
      listSandboxCustomers(sql, storeId, { channelId, limit: mostShown }),
    );
    const customers = await Promise.all(
      known.map(async ({ lead_id, phone }) => {
        // The list is a convenience. Without crm it shows the phones alone.
        const contact = await findContact(dependencies.rpc, { ...context, storeId }, lead_id).catch(() => undefined);
        return { name: contact?.name ?? phone, customer_phone: phone };
      }),
    );
    return { store_id: storeId, customers };
  };
