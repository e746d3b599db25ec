import { crmOperations } from '@mostrador/contracts';
import { createListTotals } from '@mostrador/kit/database/list-totals';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/process/service';
import { crmConfig } from './config.ts';
import { crmLists } from './dependencies.ts';
import { createHandlers } from './handlers.ts';

runService({
  name: 'crm',
  config: loadConfig(crmConfig),
  operations: crmOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  build: (dependencies) => {
    const listTotals = createListTotals({ ...dependencies, lists: crmLists });
    return { handlers: createHandlers({ ...dependencies, listTotals }), jobs: [listTotals.job] };
  },
});
