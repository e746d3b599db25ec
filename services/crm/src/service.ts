import type { crmOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc-server';
import type { Dependencies } from './dependencies.ts';
import { checkLead } from './leads/check-lead.ts';
import { createLead } from './leads/create-lead.ts';
import { getLead } from './leads/get-lead.ts';
import { createSeller } from './sellers/create-seller.ts';
import { getSeller } from './sellers/get-seller.ts';

export const handlers = (dependencies: Dependencies): Handlers<typeof crmOperations> => ({
  createLead: createLead(dependencies),
  getLead: getLead(dependencies),
  checkLead: checkLead(dependencies),
  createSeller: createSeller(dependencies),
  getSeller: getSeller(dependencies),
});
