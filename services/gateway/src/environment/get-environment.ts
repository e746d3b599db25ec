import type { getEnvironment as operation } from '@mostrador/contracts';
import type { Dependencies } from '../dependencies.ts';
import type { OwnHandler } from '../own-handler.ts';

export const getEnvironment =
  ({ workflowsUrl }: Pick<Dependencies, 'workflowsUrl'>): OwnHandler<typeof operation> =>
  async () => ({ workflows_url: workflowsUrl });
