import type { getLoginLink as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { requireLoginLink } from './login-link.ts';

/** It changes nothing, so a program that looks at the page of a link does not use the link up. */
export const getLoginLink =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { token } }) => {
    const link = await systemDatabase.read(context, (sql) => requireLoginLink(sql, token));
    return {
      user: { name: link.user_name, email: link.email },
      store: { name: link.store_name },
      expires_at: toTimestamp(link.expires_at),
    };
  };
