import { Failure } from '../api/failure.ts';
import { dataOf, type Passkey, platform, type Session } from '../api/platform.ts';

type Library = typeof import('@simplewebauthn/browser');
const library = (): Promise<Library> => import('@simplewebauthn/browser');

/** Whether this page may ask for passkeys of a host: of its own, or of one above it. */
export const isHostOfPasskeys = (host: string | null): boolean =>
  host !== null && (location.hostname === host || location.hostname.endsWith(`.${host}`));

/** Whether this browser has passkeys at this address. It has none for an IP address. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** Makes a passkey: the browser asks the person, and keeps it. */
export async function makePasskey(name: string, current_password: string | undefined): Promise<Passkey> {
  const { options } = await dataOf(platform.POST('/passkeys/options', { body: { current_password } }));
  const { startRegistration } = await library();
  const answer = await startRegistration({ optionsJSON: options as never }).catch(asFailure);
  return await dataOf(platform.POST('/passkeys', { body: { name, answer: { ...answer } } }));
}

/** Signs in with a passkey that the person chooses in their browser. */
export async function signInWithPasskey(): Promise<Session> {
  const answer = await answerTo(await dataOf(platform.POST('/session/passkey/options')));
  return await dataOf(platform.POST('/session/passkey', { body: { answer } })).catch(asUnknownPasskey);
}

/** Lets a passkey that the person chooses in their browser open the store of the session too. */
export async function joinWithPasskey(): Promise<Session> {
  const answer = await answerTo(await dataOf(platform.POST('/session/join/options')));
  return await dataOf(platform.POST('/session/join', { body: { answer } })).catch(asUnknownPasskey);
}

async function answerTo({ options }: { readonly options: unknown }) {
  const { startAuthentication } = await library();
  return { ...(await startAuthentication({ optionsJSON: options as never }).catch(asFailure)) };
}

/** The person closed the question, the browser found no passkey, or the device has one already. */
function asFailure(cause: Error): never {
  throw new Failure(cause.name === 'InvalidStateError' ? 'passkey_there' : 'passkey_cancelled', 0, cause.message);
}

function asUnknownPasskey(failure: unknown): never {
  const isUnknown = failure instanceof Failure && failure.code === 'invalid_credentials';
  throw isUnknown ? new Failure('passkey_unknown', failure.status, failure.message) : failure;
}
