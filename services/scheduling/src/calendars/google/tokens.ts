import { createHash } from 'node:crypto';
import type { AuthPlus } from '@googleapis/calendar';
import { LRUCache } from 'lru-cache';
import { failureOf } from '../http.ts';
import { fromGoogleError, googleFetch, unreadable } from './http.ts';
import { refusalOfToken } from './refusal.ts';

/** With what access tokens are asked for. */
export type GoogleAccount = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Google's own unless given. */
  readonly tokenUrl: string | undefined;
};

/** The access tokens of all connections of a process: kept until shortly before they expire, fetched once at a time. */
export type AccessTokens = {
  /** @throws CalendarError, `refused` when a person must connect anew. */
  current(account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** In place of one that the API did not accept, although it has not expired. */
  inPlaceOf(refused: string, account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** What the account has permitted, as said with its latest access token; null when that was not said. */
  scopes(account: GoogleAccount): Promise<readonly string[] | null>;
};

/** A refresh is shared by all who wait for it, so it has a limit of its own. */
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
      // Somebody else may have fetched a new one by now.
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
    // Its own logging, which an environment variable switches on, shows tokens.
    useAuthRequestParameters: false,
    transporterOptions: { fetchImplementation: googleFetch },
  });
  client.transporter.interceptors.request.add({
    // The client tries a refresh again by itself, seconds later, whatever it was told about retries.
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

/** Leaves a refresh to the others who wait for it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(failureOf(undefined, signal));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
