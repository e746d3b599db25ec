import { crmOperations } from '@mostrador/contracts';
import { startTestService } from '@mostrador/testing/service';
import { createHandlers } from '../src/handlers.ts';

/** The whole service on servers of the test's own. */
export const startCrm = () =>
  startTestService({
    name: 'crm',
    operations: crmOperations,
    build: (dependencies) => ({ handlers: createHandlers(dependencies) }),
  });

export type TestCrm = Awaited<ReturnType<typeof startCrm>>;
