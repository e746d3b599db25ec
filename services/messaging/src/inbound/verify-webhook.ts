import type { verifyWebhook as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findWebhookChannel, lookUpStore } from './webhook-channel.ts';

export const verifyWebhook =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { webhook, credentials } = await findWebhookChannel(
      { ...dependencies, storeOf: lookUpStore(dependencies) },
      context,
      body.channel_id,
    );
    if (!webhook.verifyToken(credentials, body.verify_token)) {
      throw new AppError('webhook_refused', { detail: 'The verify token is wrong. Use the one of this channel.' });
    }
    return { done: true as const };
  };
