import { verifyWebhook } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { addSignedWebhook, channelOf, type WebhookOptions, webhookContext } from './signed-webhook.ts';

const path = '/channels/whatsapp/:channelId/webhook';
const signatureForm = /^sha256=[0-9a-f]{64}$/i;

/** WhatsApp's webhooks, and the challenge with which Meta verifies their address. */
export function addWhatsappWebhook(app: FastifyInstance, options: WebhookOptions): void {
  addSignedWebhook(app, { path, signatureHeader: 'x-hub-signature-256', signatureForm }, options);

  app.get(path, async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const { 'hub.mode': mode, 'hub.challenge': challenge, 'hub.verify_token': verifyToken } = query;
    if (mode !== 'subscribe' || !isShortText(challenge) || !isShortText(verifyToken)) {
      throw new AppError('webhook_refused', { detail: 'This is not a challenge. Send the `hub.*` parameters.' });
    }
    const body = { channel_id: channelOf(request), verify_token: verifyToken };
    await options.rpc.call(verifyWebhook, { body }, webhookContext(request, options));
    return reply
      .type('text/plain; charset=utf-8')
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .send(challenge);
  });
}

const isShortText = (value: unknown): value is string => typeof value === 'string' && value.length <= 1000;
