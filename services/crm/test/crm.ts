import { crmOperations } from '@mostrador/contracts';
import { startTestService } from '@mostrador/testing/service';
import { createHandlers } from '../src/handlers.ts';

/** Starts the whole service on its own test servers. */
export const startCrm = () =>
  startTestService({
    name: 'crm',
    operations: crmOperations,
    build: (dependencies) => ({ handlers: createHandlers(dependencies) }),
  });

export type TestCrm = Awaited<ReturnType<typeof startCrm>>;
