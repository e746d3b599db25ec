import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export type StatusName = 'sent' | 'delivered' | 'read' | 'failed';

export const newWamid = (): string => `wamid.${randomBytes(18).toString('base64')}`;

/** An id as WhatsApp makes them: of the customer's number or user id, and of what names the message. */
export function wamidOf({ customer, key, isFromCustomer }: WamidParts): string {
  const text = (value: string) => [0x18, value.length, ...Buffer.from(value)];
  const bytes = [0x1c, ...text(customer), 0x15, 0x02, 0x00, isFromCustomer ? 0x12 : 0x11, ...text(key), 0x00];
  return `wamid.${Buffer.from(bytes).toString('base64')}`;
}

type WamidParts = { readonly customer: string; readonly key: string; readonly isFromCustomer: boolean };

const seconds = (ms: number): string => String(Math.floor(ms / 1000));

export type PhoneNumber = { readonly phoneNumberId: string; readonly phone: string };

const envelope = (number: PhoneNumber, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '102290129340398',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: number.phone, phone_number_id: number.phoneNumberId },
            ...value,
          },
        },
      ],
    },
  ],
});

/** A customer whose number and user id are both known. */
export type KnownCustomer = {
  readonly phone: string;
  readonly userId: string;
  readonly name?: string;
  readonly username?: string;
};

export type ReportedStatus = {
  readonly id: string;
  readonly recipient: string;
  /** The customer, whose number or user id is `recipient`. Left out: only that one is known. */
  readonly customer?: KnownCustomer;
  readonly status: StatusName;
  readonly callbackData: string | null;
  readonly code?: number;
};

/** The webhook of one status update. It names both ids of a known customer, and has its contact. */
export const statusPayload = (
  number: PhoneNumber,
  { id, recipient, customer, status, callbackData, code = 131026 }: ReportedStatus,
) => {
  const isNumber = /^[0-9]+$/.test(recipient);
  const { phone, userId } = customer ?? { [isNumber ? 'phone' : 'userId']: recipient };
  const profile = { name: customer?.name ?? 'Maria', ...(customer?.username && { username: customer.username }) };
  return envelope(number, {
    ...(customer && { contacts: [{ profile, wa_id: phone, user_id: userId }] }),
    statuses: [
      {
        id,
        status,
        timestamp: seconds(Date.now()),
        ...(phone && { recipient_id: phone }),
        ...(userId && { recipient_user_id: userId }),
        ...(callbackData !== null && { biz_opaque_callback_data: callbackData }),
        ...(status === 'failed'
          ? {
              errors: [
                {
                  code,
                  title: 'Message undeliverable',
                  message: 'Message undeliverable',
                  error_data: { details: `Message to ${recipient} is undeliverable.` },
                  href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
                },
              ],
            }
          : {
              conversation: { id: randomBytes(16).toString('hex'), origin: { type: 'service' } },
              pricing: { billable: true, pricing_model: 'CBP', category: 'service' },
            }),
      },
    ],
  });
};

export type CustomerMessage = {
  readonly from: string;
  readonly name?: string;
  readonly text: string;
  /** The provider's id. A repeated id is a duplicate. */
  readonly id?: string;
  /** Unix seconds. Default: now. */
  readonly timestamp?: number;
};

/** One webhook with messages of customers. */
export const inboundPayload = (number: PhoneNumber, messages: readonly CustomerMessage[]) =>
  envelope(number, {
    contacts: messages.map(({ from, name = 'Maria' }) => ({ profile: { name }, wa_id: from })),
    messages: messages.map(({ from, text, id = newWamid(), timestamp }) => ({
      from,
      id,
      timestamp: timestamp === undefined ? seconds(Date.now()) : String(timestamp),
      type: 'text',
      text: { body: text },
    })),
  });

const signatureOf = (bytes: Buffer | string, appSecret: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(bytes).digest('hex')}`;

/** Posts a signed webhook until the answer is 200, as Meta does, for at most `forMs` (Meta: for days). Returns the last status. */
export async function postWebhook(
  url: string,
  appSecret: string,
  payload: unknown,
  { forMs = 120_000, pauseMs = 100 }: { forMs?: number; pauseMs?: number } = {},
): Promise<number> {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body, appSecret) };
  const untilMs = performance.now() + forMs;
  let status = 0;
  for (;;) {
    try {
      const answer = await fetch(url, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      status = answer.status;
    } catch {
      status = 0;
    }
    if (status === 200 || performance.now() >= untilMs) return status;
    await pause(pauseMs);
  }
}
