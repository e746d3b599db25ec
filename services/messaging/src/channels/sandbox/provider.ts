import type { ChannelProvider } from '../channel-provider.ts';
import { createSandboxAdapter } from './adapter.ts';
import { hashSandboxToken, newSandboxToken } from './token.ts';

/** A telephone in the browser, for development and demonstrations. It needs no account and makes no network calls. */
export const sandbox: ChannelProvider = {
  checkConnection: ({ phone_number_id, api_url, secrets }) =>
    Object.entries({ phone_number_id, api_url, secrets })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => ({ pointer: `#/${name}`, detail: 'is not used by the sandbox: leave it out' })),
  defaultApiUrl: null,
  toCredentials: () => null,
  page: {
    newToken: newSandboxToken,
    hashOf: hashSandboxToken,
    urlOf: (publicUrl, token) => `${publicUrl}/sandbox/${token}`,
  },
  open: ({ database, storeId, channel }) => createSandboxAdapter(database, storeId, channel.id),
  webhook: null,
  replyWindowMs: null,
  reportsStatus: false,
  // It writes to our own database, which has its own timeouts.
  originOf: () => null,
};
