import { passkeyChallengeMinutes as minutes } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import type { Dependencies } from '../dependencies.ts';
import { insertChallenge } from './passkey.repository.ts';
import { requireRelyingParty } from './relying-party.ts';

/** Makes a challenge for any passkey of this address. It names none, so it tells nothing about who has one. */
export async function askForPasskey(
  { systemDatabase, publicUrl }: Pick<Dependencies, 'systemDatabase' | 'publicUrl'>,
  context: Context,
  sessionId: string | null,
): Promise<{ options: Record<string, unknown> }> {
  const { id: rpID } = requireRelyingParty(publicUrl);
  const options = await generateAuthenticationOptions({
    ...{ rpID, userVerification: 'required', timeout: minutes * 60_000 },
  });
  const { challenge } = options;
  await systemDatabase.write(context, (sql) =>
    insertChallenge(sql, { challenge, sessionId, proved: false, byPassword: false, minutes }),
  );
  return { options: { ...options } };
}
