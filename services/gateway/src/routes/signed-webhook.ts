import { receiveWebhook } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { saneTraceparent } from '../requests/headers.ts';

export type WebhookOptions = { readonly rpc: RpcClient; readonly requestTimeoutMs: number };

export type SignedWebhook = {
  /** With the parameter `channelId`. */
  readonly path: string;
  /** The header with the signature, in lower case. */
  readonly signatureHeader: string;
};

/** The most bytes of a payload (WhatsApp's own limit). */
const payloadLimit = 3 * 1024 * 1024;
const longestSignature = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Receives a provider's webhooks outside the API's prefix, because providers have no key. The signature over the raw bytes
 * authenticates a POST, so the gateway does not parse them. It responds as soon as messaging has stored them.
 */
export function addSignedWebhook(
  app: FastifyInstance,
  { path, signatureHeader }: SignedWebhook,
  options: WebhookOptions,
): void {
  // A separate scope, which accepts any media type as bytes.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: payloadLimit }, (_request, body, done) =>
      done(null, body),
    );
    scope.post(path, { bodyLimit: payloadLimit }, async (request, reply) => {
      const signature = request.headers[signatureHeader];
      if (typeof signature !== 'string' || signature.length > longestSignature) {
        throw new AppError('webhook_refused', {
          detail: `The request is not signed. Send \`${titleCase(signatureHeader)}\`.`,
        });
      }
      const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const body = { channel_id: channelOf(request), signature, payload_base64: payload.toString('base64') };
      await options.rpc.call(receiveWebhook, { body }, webhookContext(request, options));
      return reply.header('cache-control', 'no-store').send({ received: true });
    });
  });
}

const titleCase = (header: string): string => header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

export const webhookContext = ({ id, headers }: FastifyRequest, { requestTimeoutMs }: WebhookOptions) => ({
  requestId: id,
  deadline: Date.now() + requestTimeoutMs,
  traceparent: saneTraceparent(headers.traceparent),
});

/** The channel in the address. Throws `webhook_refused` when it is not a UUID. */
export function channelOf({ params }: FastifyRequest): string {
  const { channelId = '' } = params as { channelId?: string };
  if (!uuid.test(channelId)) throw new AppError('webhook_refused', { detail: 'No channel has this address.' });
  return channelId;
}
