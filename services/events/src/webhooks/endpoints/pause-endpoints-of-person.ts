import type { pauseEndpointsOfPerson as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../../dependencies.ts';
import { saveDue } from '../sending/save-due.ts';
import { listEndpointsBy, saveStatus } from './endpoint.repository.ts';

/** As `PATCH` with `status: "paused"`. A disabled endpoint is paused too: nothing but a request enables it again. */
export const pauseEndpointsOfPerson =
  ({ database }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { user_id: userId, key_ids: keyIds } }) => {
    const { storeId } = context;
    const paused = await database.write(context, async (sql) => {
      const endpoints = await listEndpointsBy(sql, storeId, { userId, keyIds, lock: true });
      const running = endpoints.filter(({ status }) => status !== 'paused');
      for (const endpoint of running) {
        await saveStatus(sql, endpoint, 'paused');
        await saveDue(sql, endpoint);
      }
      return running.map(({ id }) => id);
    });
    return { paused };
  };
