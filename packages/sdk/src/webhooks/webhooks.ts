import type { FeedEvent } from '../events/feed.ts';
import type { components } from '../generated/schema.ts';
import { verify, WebhookVerificationError } from './signature.ts';

/** An event as a webhook brings it. `webhook.test` is not in the feed. */
export type WebhookEvent = FeedEvent | components['schemas']['WebhookTestEvent'];

/** What a receiver of webhooks needs. It needs no client and no API key. */
export const webhooks = {
  verify,
  /**
   * Verifies a request as `verify` does, and returns its event. The same event may come again: its `id` tells.
   *
   * @throws {WebhookVerificationError} the request is not from the server, or too old
   */
  async unwrap(...request: Parameters<typeof verify>): Promise<WebhookEvent> {
    await verify(...request);
    const [body] = request;
    try {
      return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
    } catch {
      throw new WebhookVerificationError('body_malformed', 'The body is no JSON.');
    }
  },
} as const;
