import type { Egress } from '@mostrador/kit/clients/egress';
import { type HttpAnswer, NotConnected, postJson, retryAfterSeconds } from '@mostrador/kit/clients/http';
import { type Accepted, type ChannelAdapter, ChannelError } from '../../src/channels/channel-provider.ts';

type AcmeSettings = { apiUrl: string; token: string; egress: Egress };

/** Sends over Acme's API: `POST /messages` answers 202 with the id of the message, and `GET /account` checks the token. */
export function createAcmeAdapter({ apiUrl, token, egress }: AcmeSettings): ChannelAdapter {
  const url = new URL(`${apiUrl}/messages`);
  const headers = { authorization: `Bearer ${token}` };
  return {
    async send({ id, to, text }, signal) {
      let answer: HttpAnswer;
      try {
        const body = JSON.stringify({ reference: id, to, text });
        answer = await postJson(url, { egress, headers, body, signal });
      } catch (error) {
        if (error instanceof NotConnected)
          throw new ChannelError('not_sent', 'acme_unreachable', 'Acme is unreachable.', { outage: true });
        throw new ChannelError('ambiguous', 'acme_no_answer', 'Acme did not answer.', { outage: true });
      }
      return readAnswer(answer);
    },
    async check(signal) {
      const { status, body } = await egress.fetch(`${apiUrl}/account`, { headers, signal });
      await body?.cancel();
      if (status !== 200) throw new ChannelError('channel', `acme_${status}`, 'Acme does not accept the token.');
    },
  };
}

function readAnswer({ status, headers, body }: HttpAnswer): Accepted {
  const { message_id: providerMessageId } = parse(body);
  if (status === 202 && providerMessageId) return { providerMessageId, waId: null };
  if (status === 401) throw new ChannelError('channel', 'acme_401', 'Acme rejects the token. Connect with a new one.');
  if (status === 422) throw new ChannelError('refused', 'acme_422', 'Acme rejects the message.');
  if (status === 429) {
    throw new ChannelError('throttled', 'acme_429', 'Acme limits the rate of messages.', {
      scope: 'number',
      retryAfterSeconds: retryAfterSeconds(headers['retry-after'], Date.now()),
    });
  }
  // A proxy may have written this answer after it forwarded the request.
  throw new ChannelError('ambiguous', 'acme_answer_unreadable', `Acme's answer could not be read (HTTP ${status}).`);
}

function parse(body: string): { message_id?: string } {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}
