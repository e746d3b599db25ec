import type { Event } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Follower } from './followers.ts';
import { eventFrame, positionFrame, retryFrame } from './frames.ts';

/** A page of the feed, as the service answers it. */
export type FeedPage = { readonly data: readonly Event[]; readonly next: number };

const heartbeatMs = 15_000;
/** The least time that a client waits before it connects again. */
const retryMs = 2_000;
/** The clients of a gateway that stops, or is killed, come back at different moments. */
const retrySpreadMs = 8_000;
const someRetry = (): string => retryFrame(retryMs + Math.random() * retrySpreadMs);

/**
 * The text of an event stream. It reads the next page only when the client has taken the previous one. It ends without
 * an error: the client connects again with the id of its last event, so nothing is lost.
 *
 * @param first the page after `after`
 * @param read reads the page after `after`
 */
export async function* eventStream(
  first: FeedPage,
  read: (after: number) => Promise<FeedPage>,
  { after, follower, frame = eventFrame }: { after: number; follower: Follower; frame?: (event: Event) => string },
): AsyncGenerator<string> {
  yield someRetry();
  let [before, page] = [after, first];
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  while (!follower.ended.aborted) {
    const { data, next } = page;
    if (data.length > 0 || performance.now() - writtenAtMs >= heartbeatMs) {
      writtenAtMs = performance.now();
      yield data.length > 0 ? data.map(frame).join('') : positionFrame(next);
    }
    const mayRead = await follower.grown(next, next !== before, writtenAtMs + heartbeatMs - performance.now());
    if (follower.ended.aborted) break;
    before = next;
    page = { data: [], next };
    if (!mayRead) continue;
    try {
      page = await read(next);
    } catch (error) {
      // The service is away for a moment: the stream goes on where it is. Any other error ends it, and the client gets
      // it as the answer to its next request.
      if (!(error instanceof AppError) || error.status < 500) break;
      await follower.rest();
    }
  }
  if (follower.ended.reason === 'closing') yield someRetry();
}
