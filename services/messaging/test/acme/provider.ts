import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ChannelProvider } from '../../src/channels/channel-provider.ts';
import { createAcmeAdapter } from './adapter.ts';
import { readNotification } from './payload.ts';

type AcmeCredentials = { readonly access_token: string; readonly app_secret: string };
const secretsOf = (credentials: unknown) => credentials as AcmeCredentials;

/** Acme's text messages. */
export const acme: ChannelProvider = {
  checkConnection: ({ phone, secrets }) =>
    Object.entries({ phone, 'secrets/access_token': secrets?.access_token, 'secrets/app_secret': secrets?.app_secret })
      .filter(([, value]) => value === undefined)
      .map(([name]) => ({ pointer: `#/${name}`, detail: 'is required for acme' })),
  defaultApiUrl: 'https://api.acme.example/v1',
  toCredentials: (secrets) => ({ access_token: secrets?.access_token, app_secret: secrets?.app_secret }),
  page: null,
  open: ({ channel, credentials, egress }) =>
    createAcmeAdapter({ apiUrl: channel.api_url ?? '', token: secretsOf(credentials()).access_token, egress }),
  webhook: {
    urlOf: (publicUrl, channelId) => `${publicUrl}/channels/acme/${channelId}/webhook`,
    // Acme sends no challenge.
    verifyToken: () => false,
    verifySignature: (credentials, payload, header) => {
      const expected = createHmac('sha256', secretsOf(credentials).app_secret).update(payload).digest();
      const given = Buffer.from(header, 'hex');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    readNotification,
  },
  replyWindowMs: null,
  reportsStatus: true,
  originOf: ({ api_url }) => new URL(api_url ?? '').origin,
};
