import type { describeSandbox as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { findContact } from '../../conversations/find-contact.ts';
import type { Dependencies } from '../../dependencies.ts';
import { findSandbox, listSandboxCustomers } from './sandbox.repository.ts';
import { hashSandboxToken } from './token.ts';

const mostShown = 12;

export const describeSandbox =
  ({ database, systemDatabase, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const sandbox = await systemDatabase.read(context, (sql) => findSandbox(sql, hashSandboxToken(body.token)));
    if (!sandbox) throw new AppError('sandbox_not_found');
    const { store_id: storeId, id: channelId } = sandbox;
    const known = await database.read({ storeId, deadline: context.deadline }, (sql) =>
      listSandboxCustomers(sql, storeId, { channelId, limit: mostShown }),
    );
    const customers = await Promise.all(
      known.map(async ({ lead_id, phone }) => {
        // The list is a convenience. Without crm it shows the phones alone.
        const contact = await findContact(rpc, { ...context, storeId }, lead_id).catch(() => undefined);
        return { name: contact?.name ?? phone, customer_phone: phone };
      }),
    );
    return { store_id: storeId, customers };
  };
