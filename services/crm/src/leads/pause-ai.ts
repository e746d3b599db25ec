import { getMessagingSettings, pauseAi as operation, type RequestOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { changeOneLead } from './change-one-lead.ts';

type Body = RequestOf<typeof operation>['body'];

export const pauseAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params: { leadId }, body: { until, minutes } }) => {
    if (until !== undefined && minutes !== undefined) {
      throw validationFailed([{ pointer: '#/until', detail: 'cannot be combined with `minutes`; send only one' }]);
    }
    return await changeOneLead(dependencies, context, operation, {
      leadId,
      patchOf: async () => ({
        ai_paused_until: toTimestamp(await endOfPause(dependencies.rpc, context, { until, minutes })),
      }),
    });
  };

async function endOfPause(
  rpc: Dependencies['rpc'],
  { requestId, storeId, deadline }: StoreContext,
  { until, minutes }: { readonly [Name in keyof Body]: Body[Name] | undefined },
): Promise<Date> {
  const now = Date.now();
  if (until === undefined) {
    const { ai_pause_minutes } =
      minutes === undefined
        ? await rpc.call(getMessagingSettings, {}, { requestId, storeId, deadline })
        : { ai_pause_minutes: minutes };
    return new Date(now + ai_pause_minutes * 60_000);
  }
  const end = toInstant(until);
  if (end.getTime() <= now) throw validationFailed([{ pointer: '#/until', detail: 'must not be in the past' }]);
  return end;
}
