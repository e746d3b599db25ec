import {
  createPersonSession,
  createStoreKey,
  endPersonSession,
  getPersonSession,
  listPersonSessions,
  listStoreKeys,
  type Operation,
  revokePersonSession,
  revokeStoreKey,
  rotateStoreKey,
} from '@mostrador/contracts';
import { del, type Endpoint, get, post } from '../routes/route.ts';

/** Every path below this prefix is for people. The session in the cookie says who, and in which store. */
export const platformPrefix = '/platform/v1';

/** A route for people: the path of an operation, and the status of its answer. 204 has no body. */
export type PlatformRoute = Endpoint & {
  readonly operation: Operation;
  readonly status: 200 | 201 | 204;
};

const route = (
  endpoint: Endpoint,
  operation: Operation,
  { status = 200 }: { status?: PlatformRoute['status'] } = {},
): PlatformRoute => ({ ...endpoint, operation, status });

export const platformRoutes: readonly PlatformRoute[] = [
  route(post('/session'), createPersonSession, { status: 201 }),
  route(get('/session'), getPersonSession),
  route(del('/session'), endPersonSession, { status: 204 }),
  route(get('/sessions'), listPersonSessions),
  route(del('/sessions/:sessionId'), revokePersonSession, { status: 204 }),
  route(get('/keys'), listStoreKeys),
  route(post('/keys'), createStoreKey, { status: 201 }),
  route(post('/keys/:keyId/rotate'), rotateStoreKey, { status: 201 }),
  route(del('/keys/:keyId'), revokeStoreKey),
];
