import type { connectCalendar as operation, RequestOf } from '@mostrador/contracts';
import type { Egress } from '@mostrador/kit/clients/egress';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { OpenConnection, ProviderName } from './calendar-provider.ts';

type Body = RequestOf<typeof operation>['body'];
type Fault = { pointer: string; detail: string };

/** The settings and secrets of each provider, as pointers into the body. */
const taken: Record<ProviderName, { required: readonly string[]; optional: readonly string[] }> = {
  feed: { required: [], optional: ['rotate'] },
  caldav: { required: ['url'], optional: ['username', 'secrets/password'] },
  google: {
    required: ['calendar_id', 'secrets/client_id', 'secrets/client_secret', 'secrets/refresh_token'],
    optional: ['api_url', 'token_url'],
  },
};

/** @throws AppError `validation_failed` with every setting that does not fit the provider. */
export function connectionOf(
  { provider, secrets = {}, rotate, ...settings }: Body,
  egress: Pick<Egress, 'isPrivate'>,
): OpenConnection {
  const given = { ...members('', { ...settings, rotate }), ...members('secrets/', secrets) };
  const { required, optional } = taken[provider];
  const errors: Fault[] = [
    ...required
      .filter((name) => !(name in given))
      .map((name) => ({ pointer: `#/${name}`, detail: `is required for ${provider}` })),
    ...Object.keys(given)
      .filter((name) => !required.includes(name) && !optional.includes(name))
      .map((name) => ({ pointer: `#/${name}`, detail: `is not used by ${provider}` })),
    ...(provider === 'caldav' ? halfAnAccount(given) : []),
    ...(provider === 'caldav' ? plaintextAddress(given, egress) : []),
    ...(provider === 'google' ? unsafeAddresses(given, egress) : []),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  return { provider, settings, credentials: secrets };
}

const members = (prefix: string, object: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (value === undefined ? [] : [[`${prefix}${name}`, value]])),
  );

function halfAnAccount(given: Record<string, unknown>): Fault[] {
  const [name, password] = ['username' in given, 'secrets/password' in given];
  if (name === password) return [];
  return name
    ? [{ pointer: '#/secrets/password', detail: 'is required with a username' }]
    : [{ pointer: '#/username', detail: 'is required with a password' }];
}

/** The other faults of the address are found with the first call. */
function plaintextAddress({ url }: Record<string, unknown>, egress: Pick<Egress, 'isPrivate'>): Fault[] {
  const address = URL.parse(String(url));
  if (address?.protocol !== 'http:' || egress.isPrivate(address)) return [];
  return [{ pointer: '#/url', detail: 'would send the password without TLS. Use an https address.' }];
}

/** These addresses receive the account's secrets. */
function unsafeAddresses(given: Record<string, unknown>, egress: Pick<Egress, 'isPrivate'>): Fault[] {
  return ['api_url', 'token_url'].flatMap((name) =>
    !(name in given) || isSafe(String(given[name]), egress)
      ? []
      : [{ pointer: `#/${name}`, detail: 'must be an https address without a user name, password, query or fragment' }],
  );
}

function isSafe(address: string, egress: Pick<Egress, 'isPrivate'>): boolean {
  const url = URL.parse(address);
  return url !== null && !url.username && !url.password && !url.search && !url.hash && egress.isPrivate(url);
}
