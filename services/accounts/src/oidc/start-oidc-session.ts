import type { startOidcSession as operation } from '@mostrador/contracts';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { startAttempt } from './start-attempt.ts';

/** It says nothing about who has an account. */
export const startOidcSession =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) =>
    later(() => startAttempt(dependencies, context, null));
