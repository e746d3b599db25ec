import { BodyTooLarge, readBody } from '@mostrador/kit/clients/body';
import { AddressRefused, type Egress } from '@mostrador/kit/clients/egress';
import { type HttpAnswer, NotConnected, postJson, retryAfterSeconds } from '@mostrador/kit/clients/http';
import { type Accepted, type ChannelAdapter, ChannelError, type OutboundMessage } from '../channel-provider.ts';
import type { ProviderNumber } from '../provider-number.ts';
import type { TemplatePage } from '../provider-template.ts';
import { channelErrorOf, type WhatsappError } from './errors.ts';
import { numberFields, readNumber } from './number.ts';
import { readTemplatePage, templateFields } from './templates.ts';

export type WhatsappSettings = {
  /** With the version, without a trailing slash: `https://graph.facebook.com/v23.0`. */
  readonly apiUrl: string;
  readonly phoneNumberId: string;
  /** The account that owns the templates. Null: the store has not given it. */
  readonly businessAccountId?: string | null;
  readonly accessToken: string;
  readonly egress: Egress;
};

export const defaultApiUrl = 'https://graph.facebook.com/v23.0';

/** Sends over the WhatsApp Cloud API. It has no idempotency key, so an unknown outcome is `ambiguous`. */
export function createWhatsappAdapter({
  apiUrl,
  phoneNumberId,
  businessAccountId,
  accessToken,
  egress,
}: WhatsappSettings): ChannelAdapter {
  const url = new URL(`${apiUrl}/${phoneNumberId}/messages`);
  const health = new URL(`${apiUrl}/${phoneNumberId}?fields=health_status`);
  const headers = { authorization: `Bearer ${accessToken}`, 'user-agent': 'Mostrador' };
  return {
    async send(message, signal) {
      let answer: HttpAnswer;
      try {
        answer = await postJson(url, { egress, headers, body: JSON.stringify(bodyOf(message)), signal });
      } catch (error) {
        throw failureOfTransport(error, signal);
      }
      return readAnswer(answer);
    },
    async check(signal) {
      readHealth(await get(health, signal));
    },
    async readNumber(signal) {
      const url = new URL(`${apiUrl}/${phoneNumberId}`);
      url.searchParams.set('fields', numberFields(apiUrl));
      return numberOf(await get(url, signal), apiUrl);
    },
    ...(businessAccountId != null && { readTemplates: readTemplatesOf(businessAccountId) }),
  };

  function readTemplatesOf(account: string): NonNullable<ChannelAdapter['readTemplates']> {
    return async (after, signal) => {
      const url = new URL(`${apiUrl}/${account}/message_templates`);
      url.searchParams.set('fields', templateFields);
      url.searchParams.set('limit', String(templatesPerPage));
      if (after !== null) url.searchParams.set('after', after);
      return readTemplates(await get(url, signal, maxTemplatesBytes));
    };
  }

  /** An answer to a question. Asking again is safe, so no failure is ambiguous. */
  async function get(url: URL, signal: AbortSignal, limitBytes?: number): Promise<HttpAnswer> {
    try {
      const { status, headers: answered, body } = await egress.fetch(url, { headers, signal });
      const content = (await readBody(body, limitBytes)).toString('utf8');
      return { status, headers: Object.fromEntries(answered), body: content };
    } catch (cause) {
      if (cause instanceof BodyTooLarge)
        throw new ChannelError('refused', 'whatsapp_answer_too_large', tooLarge, { outage: false, cause });
      // An address that is refused here says nothing about WhatsApp.
      const outage = !(cause instanceof Error && cause.cause instanceof AddressRefused);
      throw new ChannelError('not_sent', 'whatsapp_unreachable', unreachable, { outage, cause });
    }
  }
}

/** A template has some kilobytes at most. */
const templatesPerPage = 50;
const maxTemplatesBytes = 1024 * 1024;

function bodyOf({ id, to, text, template }: OutboundMessage) {
  const common = {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    // A business-scoped user id has a country code.
    ...(/^[0-9]+$/.test(to) ? { to } : { recipient: to }),
    // WhatsApp echoes it in every status update, even when the answer to this request is lost.
    biz_opaque_callback_data: id,
  };
  if (!template) return { ...common, type: 'text', text: { body: text, preview_url: false } };
  const { name, language, components } = template;
  return {
    ...common,
    type: 'template',
    template: { name, language: { code: language }, ...(components && { components }) },
  };
}

function readAnswer(answer: HttpAnswer): Accepted {
  const body = bodyOfSuccess(answer);
  const providerMessageId = stringAt(body, 'messages', 0, 'id');
  if (!providerMessageId) throw unreadable(answer.status);
  const waId = stringAt(body, 'contacts', 0, 'wa_id');
  return { providerMessageId, waId: waId && /^[0-9]{5,20}$/.test(waId) ? waId : null };
}

/**
 * Throws while Meta blocks a part of the way of a message: the number, the account, the business or the app. An answer
 * without `health_status` still shows that the token and the number are good.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/health-status
 */
function readHealth(answer: HttpAnswer): void {
  // A proxy may not know this question. That is no failure.
  const outage = answer.status >= 500;
  const body = bodyOfSuccess(answer, outage);
  if (typeof body !== 'object' || body === null) throw unreadable(answer.status, outage);
  if (stringAt(body, 'health_status', 'can_send_message') !== 'BLOCKED') return;
  const detail = 'WhatsApp still blocks the number or its account.';
  throw new ChannelError('throttled', 'whatsapp_blocked', detail, { outage: false });
}

function numberOf(answer: HttpAnswer, apiUrl: string): ProviderNumber {
  const outage = answer.status >= 500;
  const number = readNumber(bodyOfSuccess(answer, outage), apiUrl);
  if (!number) throw unreadable(answer.status, outage);
  return number;
}

function readTemplates(answer: HttpAnswer): TemplatePage {
  const outage = answer.status >= 500;
  const page = readTemplatePage(bodyOfSuccess(answer, outage));
  if (!page) throw unreadable(answer.status, outage);
  return page;
}

/** The body of a success. Any other answer throws. */
function bodyOfSuccess({ status, headers, body }: HttpAnswer, outage?: boolean): unknown {
  const answer = parse(body);
  if (status >= 200 && status < 300) return answer;
  const refusal = readError(answer, status);
  // Without Meta's error body, the answer may come from a proxy that had already forwarded the request.
  if (!refusal) throw unreadable(status, outage);
  throw channelErrorOf(refusal, retryAfterSeconds(headers['retry-after'], Date.now()));
}

// While the API gives such answers, each further message would become `unknown`.
const unreadable = (status: number, outage = true) =>
  new ChannelError('ambiguous', 'whatsapp_answer_unreadable', `WhatsApp's answer could not be read (HTTP ${status}).`, {
    outage,
  });

const unreachable = 'WhatsApp could not be reached.';
const tooLarge = "WhatsApp's answer is larger than this server reads.";

/** It shows nothing of the system's error, which tells about networks. */
function failureOfTransport(error: unknown, signal: AbortSignal): ChannelError {
  if (error instanceof NotConnected && error.cause instanceof AddressRefused) {
    const detail = 'The address is in a private network or has no TLS. Connect again with a public https address.';
    return new ChannelError('channel', 'whatsapp_address_refused', detail);
  }
  if (error instanceof NotConnected) {
    return new ChannelError('not_sent', 'whatsapp_unreachable', unreachable, { outage: true });
  }
  return signal.aborted
    ? new ChannelError('ambiguous', 'whatsapp_timeout', 'WhatsApp did not answer in time.', { outage: true })
    : new ChannelError('ambiguous', 'whatsapp_answer_lost', 'The connection to WhatsApp was lost.', { outage: true });
}

/** Reads Meta's `{ error: { code, error_subcode } }`. Undefined when the body is not that. */
function readError(answer: unknown, status: number): WhatsappError | undefined {
  const error = at(answer, 'error');
  const code = at(error, 'code');
  if (typeof code !== 'number' || !Number.isInteger(code)) return undefined;
  const subcode = at(error, 'error_subcode');
  return { code, status, ...(typeof subcode === 'number' && { subcode }) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const at = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

function stringAt(value: unknown, ...path: (string | number)[]): string | undefined {
  const found = path.reduce(at, value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
