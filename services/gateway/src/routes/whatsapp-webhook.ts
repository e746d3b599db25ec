import { receiveWebhook, verifyWebhook } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { saneTraceparent } from '../requests/headers.ts';

/** Bytes of what the channel posts, at most (its own limit). */
const payloadLimit = 3 * 1024 * 1024;
const path = '/channels/whatsapp/:channelId/webhook';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Where WhatsApp reports what happens on a channel: outside the API's prefix, as it has no key. A POST is proved by the
 * signature over its raw bytes, so nothing here parses them; it is answered as soon as they are stored.
 */
export function addWhatsappWebhook(app: FastifyInstance, options: { rpc: RpcClient; requestTimeoutMs: number }): void {
  const { rpc, requestTimeoutMs } = options;
  const contextOf = ({ id, headers }: FastifyRequest) => ({
    requestId: id,
    deadline: Date.now() + requestTimeoutMs,
    traceparent: saneTraceparent(headers.traceparent),
  });

  // A scope of its own: any media type, as bytes.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: payloadLimit }, (_request, body, done) =>
      done(null, body),
    );

    scope.get<{ Params: { channelId: string } }>(path, async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const { 'hub.mode': mode, 'hub.challenge': challenge, 'hub.verify_token': verifyToken } = query;
      if (mode !== 'subscribe' || !isShortText(challenge) || !isShortText(verifyToken)) {
        throw new AppError('webhook_refused', { detail: 'This is no challenge.' });
      }
      const body = { channel_id: channelOf(request.params), verify_token: verifyToken };
      await rpc.call(verifyWebhook, { body }, contextOf(request));
      return reply
        .type('text/plain; charset=utf-8')
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-store')
        .send(challenge);
    });

    scope.post<{ Params: { channelId: string } }>(path, { bodyLimit: payloadLimit }, async (request, reply) => {
      const { 'x-hub-signature-256': signature } = request.headers;
      if (typeof signature !== 'string' || signature.length > 200) {
        throw new AppError('webhook_refused', { detail: 'The request is not signed.' });
      }
      const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const body = { channel_id: channelOf(request.params), signature, payload_base64: payload.toString('base64') };
      await rpc.call(receiveWebhook, { body }, contextOf(request));
      return reply.header('cache-control', 'no-store').send({ received: true });
    });
  });
}

function channelOf({ channelId }: { channelId: string }): string {
  if (!uuid.test(channelId)) throw new AppError('webhook_refused', { detail: 'No channel has this address.' });
  return channelId;
}

const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= 1000;
