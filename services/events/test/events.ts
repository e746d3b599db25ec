import { eventsOperations } from '@mostrador/contracts';
import { startTestService } from '@mostrador/testing/service';
import { notifyOver } from '../src/feed/notify.ts';
import { createHandlers } from '../src/handlers.ts';

/** Starts the whole service on its own test servers. `now`: its clock. */
export const startEvents = ({ now }: { now?: () => Date } = {}) =>
  startTestService({
    name: 'events',
    operations: eventsOperations,
    build: ({ database, systemDatabase, nats }) => ({
      handlers: createHandlers({ database, systemDatabase, notify: notifyOver(nats), now }),
    }),
  });

export type TestEvents = Awaited<ReturnType<typeof startEvents>>;
