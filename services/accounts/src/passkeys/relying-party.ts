import { isIP } from 'node:net';
import { AppError } from '@mostrador/kit/rpc/errors';

/** For whom passkeys are: the host of the console, and the address of its pages. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/**
 * Passkeys belong to the name of a host; browsers make none for an IP address. For a platform on this machine they are
 * those of `localhost`, where a browser finds the same console. Null: there can be none.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, port } = new URL(publicUrl);
  if (hostname === '127.0.0.1' || hostname === '[::1]') {
    return { id: 'localhost', origin: `http://localhost${port ? `:${port}` : ''}` };
  }
  return isIP(hostname.replace(/^\[|\]$/g, '')) ? null : { id: hostname, origin };
}

/** @throws AppError `passkeys_unavailable` */
export function requireRelyingParty(publicUrl: string): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (party === null) throw new AppError('passkeys_unavailable');
  return party;
}

/** EdDSA, ECDSA with P-256, RSA (COSE): what browsers and phones have. */
export const algorithms = [-8, -7, -257];
