import { AppError } from '@mostrador/kit/rpc/errors';
import { isValid } from '../access/access.ts';
import type { AccessDirectory } from '../access/access-directory.ts';
import { refusal } from '../plugins/permission.ts';
import type { ApiRoute } from '../routes/route.ts';
import type { AccessCheck } from './followers.ts';

/** Throws what a new request of this key to the route would get. */
export const accessCheck = (
  directory: Pick<AccessDirectory, 'lookUp'>,
  keyId: string,
  route: Pick<ApiRoute, 'tier' | 'scope'>,
): AccessCheck => ({
  run: async () => {
    const access = await directory.lookUp(keyId);
    if (!access || !isValid(access, Date.now())) throw new AppError('invalid_api_key');
    const error = refusal(route, access);
    if (error) throw error;
  },
  release: () => {},
});
