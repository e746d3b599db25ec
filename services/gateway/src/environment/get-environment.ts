import type { getEnvironment as operation } from '@mostrador/contracts';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';

export const getEnvironment =
  ({ workflowsUrl }: Pick<Dependencies, 'workflowsUrl'>): Handler<typeof operation> =>
  async (context) => {
    requireRole(context, 'manager');
    return { workflows_url: workflowsUrl };
  };
