import type { eventsOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import type { Dependencies } from './dependencies.ts';
import { appendEvents } from './feed/append-events.ts';
import { getEvent } from './feed/get-event.ts';
import { listEvents } from './feed/list-events.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof eventsOperations> => ({
  listEvents: listEvents(dependencies),
  getEvent: getEvent(dependencies),
  appendEvents: appendEvents(dependencies),
});
