import { resumeAi as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { changeOneLead } from './change-one-lead.ts';

export const resumeAi =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { leadId } }) =>
    changeOneLead(dependencies, context, operation, { leadId, patchOf: () => ({ ai_paused_until: null }) });
