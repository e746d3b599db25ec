import { AddressRefused } from '@mostrador/kit/clients/egress';
import { mayBePlaintext } from '@mostrador/kit/process/plaintext';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../../dependencies.ts';

const ports = ['', '443', '8443'];
/** How long the look-up of a name may take. The look-up of every attempt checks again. */
const lookUpLimitMs = 2_000;

/**
 * Checks where an endpoint leads, as far as that is known when it is saved. A name that cannot be looked up now is
 * accepted, because every attempt checks the addresses to which it connects.
 *
 * @throws AppError `validation_failed` on `#/url`
 */
export async function assertEndpointAddress(
  storeId: string,
  address: string,
  { webhookEgress, webhookAllowHosts }: Pick<Dependencies, 'webhookEgress' | 'webhookAllowHosts'>,
): Promise<void> {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refused('must be an `https` address');
  if (url.username !== '' || url.password !== '') throw refused('must not have a user name or password');
  if (url.hash !== '') throw refused('must not have a fragment');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAllowed = webhookAllowHosts.some(
    (allowed) => allowed === host || (host === 'localhost' && mayBePlaintext(allowed)),
  );
  if (url.protocol === 'http:' && !isAllowed) throw refused('must be an `https` address');
  if (!isAllowed && !ports.includes(url.port)) throw refused('must have the port 443 or 8443');
  try {
    await webhookEgress.forStore(storeId).check(url, AbortSignal.timeout(lookUpLimitMs));
  } catch (error) {
    if (error instanceof AddressRefused) throw refused('must not lead into a private network');
    throw error;
  }
}

const refused = (detail: string) => validationFailed([{ pointer: '#/url', detail }]);
