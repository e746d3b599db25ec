import { createHash } from 'node:crypto';
import type { Egress } from '@mostrador/kit/clients/egress';
import { unlessAborted } from '@mostrador/kit/process/abort';
import { LRUCache } from 'lru-cache';
import { failureOf } from '../http.ts';
import { askGoogle, unreadable } from './http.ts';
import { refusalOfToken } from './refusal.ts';

/** The credentials for fetching access tokens. */
export type GoogleAccount = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  /** Undefined: the address of Google. */
  readonly tokenUrl: string | undefined;
  /** Sends the requests. Stores with the same credentials share a refresh, with the egress of one of them. */
  readonly egress: Egress;
};

/** The access tokens of all connections of a process, cached until shortly before they expire. Refreshes are shared. */
export type AccessTokens = {
  /** @throws CalendarError `refused` when a person must reconnect the calendar. */
  current(account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** Returns a new token in place of one that the API rejected before it expired. */
  inPlaceOf(refused: string, account: GoogleAccount, signal: AbortSignal): Promise<string>;
  /** The scopes named with the latest access token of the account; null when Google did not name them. */
  scopes(account: GoogleAccount): readonly string[] | null;
};

const googleTokenUrl = 'https://oauth2.googleapis.com/token';
/** A refresh has its own time limit, because several callers may wait for it. */
const refreshTimeoutMs = 10_000;
/** A token is replaced so long before it expires. */
const earlierMs = 5 * 60_000;
const accountsKnown = 1_000;

type Issued = { readonly token: string; readonly scopes: readonly string[] | null; readonly usableUntilMs: number };
type Known = { latest?: Issued; refresh?: Promise<Issued> | undefined };

export function createAccessTokens(): AccessTokens {
  const accounts = new LRUCache<string, Known>({ max: accountsKnown, memoMethod: () => ({}) });

  const knownOf = ({ clientId, clientSecret, refreshToken, tokenUrl }: GoogleAccount): Known => {
    const whole = JSON.stringify([clientId, clientSecret, refreshToken, tokenUrl]);
    return accounts.memo(createHash('sha256').update(whole).digest('base64'));
  };

  const current = async (account: GoogleAccount, signal: AbortSignal, refused?: string): Promise<string> => {
    const known = knownOf(account);
    const { latest } = known;
    // Another caller may have fetched a new token already.
    if (latest && latest.token !== refused && latest.usableUntilMs > Date.now()) return latest.token;
    known.refresh ??= refresh(account)
      .then((issued) => {
        known.latest = issued;
        return issued;
      })
      .finally(() => {
        known.refresh = undefined;
      });
    // The refresh goes on for other callers.
    const issued = await unlessAborted(signal, known.refresh, () => {
      throw failureOf(undefined, signal);
    });
    return issued.token;
  };

  return {
    current,
    inPlaceOf: (refused, account, signal) => current(account, signal, refused),
    scopes: (account) => knownOf(account).latest?.scopes ?? null,
  };
}

/** Asks for a new access token (RFC 6749, 6). */
async function refresh({ clientId, clientSecret, refreshToken, tokenUrl, egress }: GoogleAccount): Promise<Issued> {
  const form = { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken };
  const { status, headers, body } = await askGoogle(egress, tokenUrl ?? googleTokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form, grant_type: 'refresh_token' }).toString(),
    signal: AbortSignal.timeout(refreshTimeoutMs),
  });
  if (status < 200 || status > 299) throw refusalOfToken(status, headers, body);
  const { access_token: token, expires_in: seconds, scope } = body;
  if (typeof token !== 'string' || token === '') throw unreadable();
  return {
    token,
    scopes: typeof scope === 'string' ? scope.split(' ') : null,
    usableUntilMs: typeof seconds === 'number' ? Date.now() + seconds * 1000 - earlierMs : Number.POSITIVE_INFINITY,
  };
}
