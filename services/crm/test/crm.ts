import { crmOperations } from '@mostrador/contracts';
import { startTestService, type TestService } from '@mostrador/testing/service';
import { createListTotals } from '@mostrador/totals';
import { type CrmTotals, crmLists } from '../src/dependencies.ts';
import { createHandlers } from '../src/handlers.ts';

export type TestCrm = TestService & {
  /** Its job is not started: until the test runs it, changes stay unfolded and lists unbuilt. */
  readonly listTotals: CrmTotals;
};

/** Starts the whole service on its own test servers. */
export async function startCrm(): Promise<TestCrm> {
  let listTotals: CrmTotals | undefined;
  const service = await startTestService({
    name: 'crm',
    operations: crmOperations,
    build: (dependencies) => {
      listTotals = createListTotals({ ...dependencies, lists: crmLists });
      return { handlers: createHandlers({ ...dependencies, listTotals }) };
    },
  });
  return { ...service, listTotals: listTotals as CrmTotals };
}
