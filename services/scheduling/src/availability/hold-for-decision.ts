import { decisionHoldMinutes, holdForDecision as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { takeHold } from './take-hold.ts';

export const holdForDecision =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { body: { id, ...body } }) =>
    takeHold(dependencies, context, { operation, id, body, minutes: decisionHoldMinutes });
