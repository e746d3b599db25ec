import { AddressRefused, type EgressOfStores } from '@mostrador/kit/clients/egress';
import { validationFailed } from '@mostrador/kit/rpc/errors';

/** A look-up that takes longer passes: every call checks the address again. */
const lookUpMs = 3_000;

/** @throws AppError `validation_failed` when the address leads into a private network */
export async function checkAddress(egress: EgressOfStores, storeId: string, url: string): Promise<void> {
  try {
    await egress.forStore(storeId).check(new URL(url), AbortSignal.timeout(lookUpMs));
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw validationFailed([{ pointer: '#/url', detail: 'must not lead into a private network' }]);
  }
}
