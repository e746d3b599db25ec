import { createHmac, randomUUID } from 'node:crypto';
import { connectChannel, receiveWebhook } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import type { TestMessaging } from './messaging.ts';

const appSecret = 'app secret of the test';
export const verifyToken = 'verify token of the test';

/** Connects a WhatsApp channel for inbound tests. Its provider has no server. */
export async function connectWhatsapp(
  messaging: Pick<TestMessaging, 'rpc'>,
  storeId: string,
  options: { phoneNumberId?: string; appSecret?: string } = {},
): Promise<{ channelId: string; phoneNumberId: string }> {
  const phoneNumberId = options.phoneNumberId ?? String(Math.floor(1e14 + Math.random() * 9e14));
  const secrets = { access_token: 'token', app_secret: options.appSecret ?? appSecret, verify_token: verifyToken };
  const { channel_id } = await messaging.rpc.call(
    connectChannel,
    {
      body: {
        provider: 'whatsapp_cloud',
        phone_number_id: phoneNumberId,
        phone: '5511400000000',
        api_url: 'http://127.0.0.1:9',
        secrets,
      },
    },
    testContext({ storeId }),
  );
  return { channelId: channel_id, phoneNumberId };
}

type Content = { messages?: object[]; message_echoes?: object[]; statuses?: unknown[]; contacts?: object[] };

/** A WhatsApp webhook of one number. */
export const notification = (phoneNumberId: string, ...contents: Content[]) => ({
  object: 'whatsapp_business_account',
  entry: contents.map((content) => ({
    id: '100000000000001',
    changes: [
      {
        field: 'messages',
        value: {
          messaging_product: 'whatsapp',
          metadata: { display_phone_number: '5511400000000', phone_number_id: phoneNumberId },
          ...content,
        },
      },
    ],
  })),
});

/** One text message and its contact, as the `value` of a webhook contains them. */
export function textFrom(from: string, body: string, options: { id?: string; name?: string; at?: Date } = {}): Content {
  const { id = `wamid.${randomUUID()}`, name = 'Maria', at = new Date() } = options;
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return {
    contacts: [{ profile: { name }, wa_id: from }],
    messages: [{ from, id, timestamp, type: 'text', text: { body } }],
  };
}

/** Adds the customer's business-scoped id, as Meta does since April 2026. */
export const withUserId = ({ messages = [], contacts = [] }: Content, userId: string): Content => ({
  contacts: contacts.map((one) => ({ ...one, user_id: userId })),
  messages: messages.map((one) => ({ ...one, from_user_id: userId })),
});

/** The same from a customer with a username, whose phone Meta leaves out. */
export function withoutPhone(content: Content, userId: string): Content {
  const { messages, contacts } = withUserId(content, userId);
  return {
    contacts: contacts?.map((one) => ({ ...one, wa_id: undefined })) ?? [],
    messages: messages?.map((one) => ({ ...one, from: undefined })) ?? [],
  };
}

export const sign = (body: string | Uint8Array, secret = appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Posts to the service as the gateway does. */
export async function receive(
  messaging: Pick<TestMessaging, 'rpc'>,
  channelId: string,
  payload: unknown,
  options: { secret?: string; signature?: string } = {},
): Promise<void> {
  const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const signature = options.signature ?? sign(bytes, options.secret);
  const body = { channel_id: channelId, signature, payload_base64: bytes.toString('base64') };
  await messaging.rpc.call(receiveWebhook, { body }, testContext());
}

/** One status update, as WhatsApp posts it. */
export const statusUpdate = (
  phoneNumberId: string,
  {
    id,
    status,
    callbackData,
    ...more
  }: { id: string; status: string; callbackData?: string } & Record<string, unknown>,
) => {
  const echoed = callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData };
  const timestamp = String(Math.floor(Date.now() / 1000));
  return notification(phoneNumberId, { statuses: [{ id, status, timestamp, ...echoed, ...more }] });
};
