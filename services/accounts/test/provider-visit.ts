/**
 * What a browser does at the OpenID provider: it follows the redirects, with the provider's cookies, and the person gives
 * an account, or null to cancel. Returns the query string with which the provider leads back to `callback`.
 */
export async function visitProvider(url: string, account: string | null, callback: string): Promise<string> {
  const cookies = new Map<string, string>();
  let address = url;
  for (let hops = 0; hops < 10; hops += 1) {
    if (address.startsWith(callback)) return new URL(address).search.slice(1);
    const isQuestion = address.includes('/interaction/');
    const response = await fetch(address, {
      redirect: 'manual',
      method: isQuestion ? 'POST' : 'GET',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      body: isQuestion ? new URLSearchParams(account === null ? { cancel: '1' } : { account }) : undefined,
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    address = new URL(location, address).href;
  }
  throw new Error('the provider leads round in circles');
}
