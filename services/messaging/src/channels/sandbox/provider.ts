import { hashToken, newAddressSecret } from '@mostrador/kit/tokens/token';
import type { ChannelProvider } from '../channel-provider.ts';
import { createSandboxAdapter } from './adapter.ts';
import { magicOutcome } from './magic-numbers.ts';
import { readNotification } from './payload.ts';
import { sandboxTemplates } from './templates.ts';

/** A telephone in the browser, for development and demonstrations. It needs no account and makes no network calls. */
export const sandbox: ChannelProvider = {
  checkConnection: ({ phone_number_id, business_account_id, api_url, secrets }) =>
    Object.entries({ phone_number_id, business_account_id, api_url, secrets })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => ({ pointer: `#/${name}`, detail: 'is not used by the sandbox: leave it out' })),
  defaultApiUrl: null,
  toCredentials: () => null,
  page: {
    newToken: newAddressSecret,
    hashOf: hashToken,
    urlOf: (publicUrl, token) => `${publicUrl}/sandbox/${token}`,
    readNotification,
  },
  ownTemplates: sandboxTemplates,
  open: ({ database, storeId, channel }) => createSandboxAdapter(database, storeId, channel.id),
  webhook: null,
  // A store that wants one gives it when it connects.
  replyWindowMs: null,
  // A telephone reports only while its page is open.
  reportsStatus: false,
  // It writes to our own database, which has its own timeouts. Magic numbers can fail, and so they have a circuit: one
  // for each channel, so that no store disturbs another.
  originOf: ({ id }, to) => (to !== null && magicOutcome(to) ? `sandbox://${id}` : null),
};
