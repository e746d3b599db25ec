import type { checkTemplate as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { faultsOfValues } from './faults-of-values.ts';
import { findApproved } from './require-template.ts';
import { findSyncState } from './sync.repository.ts';

export const checkTemplate =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { template } }) => {
    const known = await database.read(context, async (sql) => {
      const channel = await findSyncState(sql, context.storeId);
      // Without a channel, or while its templates are not known, the channel checks the template when it is sent.
      return channel?.synced_at ? await findApproved(sql, context.storeId, channel.id, template) : undefined;
    });
    return { faults: known ? faultsOfValues(known, template.components ?? []) : [] };
  };
