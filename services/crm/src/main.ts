import { crmOperations } from '@mostrador/contracts';
import { loadConfig } from '@mostrador/kit/process/config';
import { runService } from '@mostrador/kit/service/service';
import { createListTotals } from '@mostrador/totals';
import { crmConfig } from './config.ts';
import { crmLists } from './dependencies.ts';
import { createHandlers } from './handlers.ts';
import { titleJob } from './knowledge/add-titles.ts';
import { indexJob } from './knowledge-vectors/index-passages.ts';
import { purgeContactNames } from './leads/contact-name.repository.ts';

runService({
  name: 'crm',
  config: loadConfig(crmConfig),
  operations: crmOperations,
  migrations: `${import.meta.dirname}/../migrations`,
  build: (dependencies) => {
    const listTotals = createListTotals({ ...dependencies, lists: crmLists });
    return {
      handlers: createHandlers({ ...dependencies, listTotals }),
      purge: purgeContactNames,
      jobs: [listTotals.job, indexJob(dependencies), titleJob(dependencies)],
    };
  },
});
