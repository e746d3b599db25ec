import { getEvent, listEvents } from '@mostrador/contracts';
import { get, type Route, route } from './route.ts';

const read = { tag: 'Events', scope: 'events:read' } as const;

export const eventRoutes: readonly Route[] = [
  route(get('/events'), listEvents, { ...read, follows: true }),
  route(get('/events/:eventId'), getEvent, read),
];
