import type { getSignInOptions as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';

export const getSignInOptions =
  ({ oidc }: Dependencies): Handler<typeof operation> =>
  async () => ({ oidc: oidc && { name: oidc.name } });
