import type { replanFollowups as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { replanPending } from './replan-pending.ts';

export const replanFollowups =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    await replanPending(dependencies, context);
    return { done: true as const };
  };
