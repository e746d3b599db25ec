import { type startPasskeySession as operation, passkeyChallengeMinutes } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Dependencies } from '../dependencies.ts';
import { insertChallenge } from './passkey.repository.ts';
import { requireRelyingParty } from './relying-party.ts';

/** It names no passkey, so it tells nothing about who has one. */
export const startPasskeySession =
  ({ systemDatabase, publicUrl }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { id: rpID } = requireRelyingParty(publicUrl);
    const minutes = passkeyChallengeMinutes;
    const options = await generateAuthenticationOptions({
      ...{ rpID, userVerification: 'required', timeout: minutes * 60_000 },
    });
    const { challenge } = options;
    await systemDatabase.write(context, (sql) =>
      insertChallenge(sql, { challenge, sessionId: null, proved: false, minutes }),
    );
    return { options: { ...options } };
  };
