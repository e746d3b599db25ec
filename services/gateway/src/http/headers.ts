import type { FastifyReply } from 'fastify';

/**
 * Whether the request has a header more than once. Node joins the values with commas, which would turn two keys into a
 * third one. `name` is in lower case.
 */
export function sentTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count++;
  }
  return count > 1;
}

/** The caller's request id if it is safe in a log and in a header, else undefined. */
export function saneRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : undefined;
}

/** Adds a request header to `Vary`. Plugins may already have set others. */
export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? name : [others, name].flat().join(', '));
}
