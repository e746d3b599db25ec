import { misfitsOf, type connectModel as operation, type RequestOf } from '@mostrador/contracts';
import type { Egress } from '@mostrador/kit/clients/egress';
import { validationFailed } from '@mostrador/kit/rpc/errors';

type Body = RequestOf<typeof operation>['body'];
type Provider = Body['provider'];

/** The model of a provider when none is named: a small one that is meant for much traffic. */
const defaultModels: Partial<Record<Provider, string>> = { openai: 'gpt-5-mini', gemini: 'gemini-flash-latest' };

/** @throws AppError `validation_failed` with every setting that does not fit the provider. Pure but for `isPrivate`. */
export function connectionOf(
  { provider, secrets, ...settings }: Body,
  egress: Pick<Egress, 'isPrivate'>,
): { readonly provider: Provider; readonly url: string | null; readonly model: string | null } {
  const { missing, unused } = misfitsOf(provider, { ...settings, secrets });
  const errors = [
    ...missing.map((name) => ({ pointer: `#/${name}`, detail: `is required for ${provider}` })),
    ...unused.map((name) => ({ pointer: `#/${name}`, detail: `is not used by ${provider}` })),
    ...(settings.url === undefined ? [] : addressFaults(settings.url, egress)),
  ];
  if (errors.length > 0) throw validationFailed(errors);
  return {
    provider,
    url: settings.url?.replace(/\/+$/, '') ?? null,
    model: settings.model ?? defaultModels[provider] ?? null,
  };
}

/** The address gets the key, and what customers write. Pure but for `isPrivate`. */
export function addressFaults(
  address: string,
  egress: Pick<Egress, 'isPrivate'>,
): { pointer: string; detail: string }[] {
  const fault = (detail: string) => [{ pointer: '#/url', detail }];
  const url = URL.parse(address);
  if (!url) return fault('is not an address');
  if (url.username || url.password || url.search || url.hash) {
    return fault('must have no user name, password, query or fragment. Pass the key in secrets.');
  }
  if (egress.isPrivate(url)) return [];
  return fault(
    'would send what customers write without TLS. Use an https address, or let the operator name the host in PLAINTEXT_ALLOW_HOSTS.',
  );
}
