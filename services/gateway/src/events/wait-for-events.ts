import type { ForwardedReply } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Follower } from './followers.ts';

/** No event fits into so few bytes, so a smaller page is empty. */
const leastBytesOfEvent = 100;

/**
 * Reads a page of the feed again and again until it has an event, `waitMs` have passed, or the follower ends. When the
 * gateway stops, the answer is what is there: an empty page, which says where the next request goes on.
 *
 * @param read reads the page after `after`
 * @throws AppError when the first read fails, or when the key may not read any more
 */
export async function waitForEvents(
  read: (after: number) => Promise<ForwardedReply>,
  follower: Follower,
  { after, waitMs }: { after: number; waitMs: number },
): Promise<ForwardedReply> {
  const untilMs = performance.now() + waitMs;
  let page = await read(after);
  for (let before = after; ; ) {
    const next = nextOfEmpty(page);
    const leftMs = untilMs - performance.now();
    if (next === undefined || leftMs <= 0 || follower.ended.aborted) break;
    const mayRead = await follower.grown(next, next !== before, leftMs);
    if (follower.ended.aborted) break;
    before = next;
    if (!mayRead) continue;
    page = await read(next).catch(async (error) => {
      // The client has waited and loses nothing: the same page again, while the service is away for a moment.
      if (!(error instanceof AppError) || error.status < 500) throw error;
      await follower.rest();
      return page;
    });
  }
  if (follower.ended.reason instanceof AppError) throw follower.ended.reason;
  return page;
}

/** The `next` of an empty page; undefined: the page has events. */
function nextOfEmpty({ body }: ForwardedReply): number | undefined {
  if (body.byteLength >= leastBytesOfEvent) return undefined;
  return JSON.parse(Buffer.from(body).toString('utf8')).next;
}
