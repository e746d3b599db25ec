import type { LocalPlatform } from '@mostrador/testing/platform/local-platform';
import type { WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';

export type Seller = { readonly id: string; readonly name: string };
export type DemoStore = { readonly id: string; readonly api_key: string };
export type Api = <T = { id: string }>(method: string, path: string, body?: object) => Promise<T>;
export type Demo = {
  readonly platform: LocalPlatform;
  readonly store: DemoStore;
  readonly api: Api;
  /** Gets the webhooks of the store. */
  readonly receiver: WebhookReceiver;
};

export const apiOf =
  (baseUrl: string, key: string): Api =>
  (method, path, body) =>
    send(method, `${baseUrl}${path}`, body, { 'x-api-key': key });

export const post = (url: string, body: object) => send('POST', url, body);

export async function send<T>(
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${new URL(url).pathname} answered ${answer.status}: ${text}`);
  return text === '' ? (undefined as T) : JSON.parse(text);
}
