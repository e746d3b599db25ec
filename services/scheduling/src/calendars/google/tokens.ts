import { createHash } from 'node:crypto';
import type { AuthPlus } from '@googleapis/calendar';
import type { Egress } from '@mostrador/kit/clients/egress';
import { LRUCache } from 'lru-cache';
import { failureOf } from '../http.ts';
import { createGoogleFetch, fromGoogleError, unreadable } from './http.ts';
import { refusalOfToken } from './refusal.ts';

/** The credentials for fetching access tokens. */
export type GoogleAccount = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Undefined: the address of Google. */
  readonly tokenUrl: string | undefined;
  /** Sends the requests. Stores with the same credentials share a client, with the egress of one of them. */
  readonly egress: Egress;
};

/** The access tokens of all connections of a process, cached until shortly before they expire. Refreshes are shared. */
export type AccessTokens = {
  /** @throws CalendarError `refused` when a person must reconnect the calendar. */
  current(account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** Returns a new token in place of one that the API rejected before it expired. */
  inPlaceOf(refused: string, account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** The scopes named with the latest access token of the account; null when Google did not name them. */
  scopes(account: GoogleAccount): Promise<readonly string[] | null>;
};

/** A refresh has its own time limit, because several callers may wait for it. */
const refreshTimeoutMs = 10_000;
const accountsKnown = 1_000;

type OAuth2Client = InstanceType<AuthPlus['OAuth2']>;

export function createAccessTokens(): AccessTokens {
  const clients = new LRUCache<string, OAuth2Client>({ max: accountsKnown });

  const clientOf = async (account: GoogleAccount): Promise<OAuth2Client> => {
    const { clientId, clientSecret, refreshToken, tokenUrl } = account;
    const whole = JSON.stringify([clientId, clientSecret, refreshToken, tokenUrl]);
    const key = createHash('sha256').update(whole).digest('base64');
    const { auth } = await import('@googleapis/calendar');
    const client = clients.get(key) ?? openAccount(auth, account);
    clients.set(key, client);
    return client;
  };

  const fetchWith = async (client: OAuth2Client): Promise<string> => {
    try {
      const { token } = await client.getAccessToken();
      if (typeof token === 'string' && token !== '') return token;
    } catch (error) {
      throw fromGoogleError(error, refusalOfToken);
    }
    throw unreadable();
  };

  return {
    current: async (account, signal) => await unlessAborted(fetchWith(await clientOf(account)), signal),
    async inPlaceOf(refused, account, signal) {
      const client = await clientOf(account);
      // Another caller may have fetched a new token already.
      if (client.credentials.access_token === refused) forgetAccessToken(client, account);
      return await unlessAborted(fetchWith(client), signal);
    },
    scopes: async (account) => (await clientOf(account)).credentials.scope?.split(' ') ?? null,
  };
}

const forgetAccessToken = (client: OAuth2Client, { refreshToken }: GoogleAccount) =>
  client.setCredentials({ refresh_token: refreshToken });

function openAccount(auth: AuthPlus, account: GoogleAccount): OAuth2Client {
  const client = new auth.OAuth2({
    clientId: account.clientId,
    clientSecret: account.clientSecret,
    ...(account.tokenUrl === undefined ? {} : { endpoints: { oauth2TokenUrl: account.tokenUrl } }),
    // Switches off the client's own log, which an environment variable can enable and which shows tokens.
    useAuthRequestParameters: false,
    transporterOptions: { fetchImplementation: createGoogleFetch(account.egress) },
  });
  client.transporter.interceptors.request.add({
    // The client retries a refresh seconds later, even when its options switch retries off.
    resolved: async (config) =>
      Object.assign(config, {
        retry: false,
        retryConfig: undefined,
        signal: AbortSignal.timeout(refreshTimeoutMs),
      }),
  });
  forgetAccessToken(client, account);
  return client;
}

/** Rejects when the signal is aborted, without aborting the refresh for other callers. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(failureOf(undefined, signal));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
