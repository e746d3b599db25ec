import { randomBytes, randomInt } from 'node:crypto';
import { type Answer, admin, gatewayUrl } from './platform.ts';

type Asked = { readonly cookie?: string; readonly body?: unknown; readonly headers?: Record<string, string> };

/** The header with which a trusted proxy names a client, here one of a network that no other has. */
export const ofNewNetwork = () => ({ 'x-forwarded-for': `10.${[256, 256, 256].map((n) => randomInt(n)).join('.')}` });

/** Asks as a page of the console does. `path` is below `/platform/v1`. */
export async function askAsPage(method: string, path: string, { cookie, body, headers }: Asked = {}): Promise<Answer> {
  const response = await fetch(`${gatewayUrl}/platform/v1${path}`, {
    method,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...ofNewNetwork(),
      ...(cookie ? { cookie } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The cookie that an answer sets, `name=value`. */
export const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

/** Uses a login link as a page does that has it in its address. Returns the cookie. */
export async function signInBy(loginUrl: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const opened = await askAsPage('POST', '/session', { body: { token: loginUrl.split('#')[1] }, headers });
  if (opened.status !== 201) throw new Error(opened.text);
  return cookieOf(opened);
}

/** Invites a person to a store and signs them in. A role `seller` needs `sellerId`. Returns the cookie. */
export async function signInAs(storeId: string, role: string, sellerId?: string): Promise<string> {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const person = ['--email', email, '--name', 'Bia', '--role', role, ...(sellerId ? ['--seller', sellerId] : [])];
  const { login_url } = await admin(['user', 'invite', '--store', storeId, ...person]);
  return signInBy(login_url);
}
