import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from '../routes/route.ts';
import type { AccessCheck, Follower, Followers } from './followers.ts';

/** What requests need that wait for events. */
export type Feed = {
  readonly followers: Followers;
  /** Makes a check that throws what a new request of the same caller to the route would get. */
  readonly stillMay: (request: FastifyRequest, route: Route) => AccessCheck;
};

/**
 * Makes the request a follower of its store's feed, until its response has been sent or its client has left. Meanwhile
 * nothing may move on its connection for `quietMs`.
 */
export function follow(
  { followers, stillMay }: Feed,
  { route, request, reply, quietMs }: { route: Route; request: FastifyRequest; reply: FastifyReply; quietMs: number },
): Follower {
  const { storeId, person } = request.access;
  const follower = followers.follow(storeId, stillMay(request, route), { isPerson: person !== undefined });
  reply.raw.once('close', () => follower.end('left'));
  // Node sets the server's own limit again with the next request of the connection.
  if ((request.raw.socket.timeout ?? 0) < quietMs) {
    reply.raw.setTimeout(quietMs, () => reply.raw.destroy());
  }
  return follower;
}
