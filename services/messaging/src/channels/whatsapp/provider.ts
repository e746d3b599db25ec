import type { ValidationFault } from '@mostrador/contracts';
import type { ChannelProvider, ConnectChannelBody } from '../channel-provider.ts';
import { createWhatsappAdapter, defaultApiUrl } from './adapter.ts';
import { appSecretsOf, replaceCredentials, type WhatsappCredentials } from './credentials.ts';
import { marketOf } from './market.ts';
import { readNotification } from './payload.ts';
import { isSameSecret, isSignedBy } from './signature.ts';

/** The WhatsApp Cloud API (Meta's Graph API, v23.0). */
export const whatsapp: ChannelProvider = {
  checkConnection: (body) => [...missing(body), ...malformed(body)],
  defaultApiUrl,
  toCredentials: (secrets, before, nowMs) =>
    replaceCredentials(secrets as WhatsappCredentials, before as WhatsappCredentials | undefined, nowMs),
  page: null,
  open: ({ channel, credentials, egress }) =>
    createWhatsappAdapter({
      apiUrl: channel.api_url ?? defaultApiUrl,
      phoneNumberId: channel.phone_number_id ?? '',
      businessAccountId: channel.business_account_id,
      accessToken: (credentials() as WhatsappCredentials).access_token,
      egress,
    }),
  webhook: {
    urlOf: (publicUrl, channelId) => `${publicUrl}/channels/whatsapp/${channelId}/webhook`,
    verifyToken: (credentials, token) => isSameSecret(token, (credentials as WhatsappCredentials).verify_token),
    verifySignature: (credentials, payload, header, nowMs) =>
      isSignedBy(appSecretsOf(credentials as WhatsappCredentials, nowMs), payload, header),
    readNotification: (payload, { phone_number_id }, at) => readNotification(payload, phone_number_id ?? '', at),
  },
  // Meta calls it the customer service window.
  replyWindowMs: 24 * 3_600_000,
  reportsStatus: true,
  marketOf,
  originOf: ({ api_url }) => new URL(api_url ?? defaultApiUrl).origin,
};

function missing({ phone_number_id, phone, secrets }: ConnectChannelBody): ValidationFault[] {
  const { access_token, app_secret, verify_token } = secrets ?? {};
  const needed = {
    phone_number_id,
    phone,
    'secrets/access_token': access_token,
    'secrets/app_secret': app_secret,
    'secrets/verify_token': verify_token,
  };
  return Object.entries(needed)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({ pointer: `#/${name}`, detail: 'is required for whatsapp_cloud' }));
}

/** Meta's own secrets have 32 characters. A shorter one comes from a stand-in, and one below this limit is guessed. */
const shortestAppSecret = 8;

function malformed({ api_url, secrets }: ConnectChannelBody): ValidationFault[] {
  const token = secrets?.access_token;
  const appSecret = secrets?.app_secret;
  const isSendable = token === undefined || /^[\x21-\x7e]+$/.test(token);
  return [
    ...(isSendable ? [] : [{ pointer: '#/secrets/access_token', detail: 'must be printable ASCII without spaces' }]),
    ...(appSecret === undefined || appSecret.length >= shortestAppSecret
      ? []
      : [{ pointer: '#/secrets/app_secret', detail: `must have at least ${shortestAppSecret} characters` }]),
    ...(api_url === undefined || isPlainHttp(api_url)
      ? []
      : [{ pointer: '#/api_url', detail: 'must be an http or https URL without credentials, query or fragment' }]),
  ];
}

function isPlainHttp(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const isHttp = url.protocol === 'https:' || url.protocol === 'http:';
  return isHttp && !url.username && !url.password && !url.search && !url.hash;
}
