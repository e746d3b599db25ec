import { updateLead as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { changeOneLead } from './change-one-lead.ts';

export const updateLead =
  (dependencies: Dependencies): Handler<typeof operation> =>
  (context, { params: { leadId }, body: patch }) =>
    changeOneLead(dependencies, context, operation, { leadId, patchOf: () => patch });
