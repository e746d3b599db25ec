import { createStore, inviteUser } from '@mostrador/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPlatform } from '../chaos/exact/stage.ts';

// S4: the owner of one store invites a person who works in another, sets a password for them and tells it to them. The
// person was signed in with it when they opened a link of their real store. From then on the password opened that store: its
// customers, people and keys were the owner's of the other store. Nothing was asked, and no log told of it.
// S5: to open a link signed the browser in at once, so anyone who sent one could sign a person in as another.

let platform: Awaited<ReturnType<typeof startPlatform>>;

beforeAll(async () => {
  platform = await startPlatform({ service: 'scheduling', processes: ['gateway'] });
});
afterAll(() => platform?.stop());

const planted = 'trinta e nove pratos';
const email = 'ana@example.com';

type Asked = { readonly cookie?: string; readonly body?: object };

/** Asks as a page of the console does. */
async function ask(method: string, path: string, { cookie, body }: Asked = {}) {
  const url = platform.url().replace('/integrations/v1', `/platform/v1${path}`);
  const answer = await fetch(url, {
    method,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...(cookie && { cookie }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  const json = text === '' ? undefined : JSON.parse(text);
  return { status: answer.status, cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '', body: json };
}

/** A store with its owner, signed in, and a way to invite people to it. */
async function newStore(name: string) {
  const { id } = await platform.call(createStore, { body: { name } });
  const invite = async (address: string) => {
    const body = { store_id: id, email: address, name: 'Ana', role: 'owner' as const };
    const { login_url } = await platform.call(inviteUser, { body });
    return login_url.split('#')[1] ?? '';
  };
  const token = await invite(`owner-of-${id}@example.com`);
  return { id, name, invite, owner: (await ask('POST', '/session', { body: { token } })).cookie };
}

test('a password that another store’s owner set opens nothing of the store whose link the person opens with it', async () => {
  const [trap, home] = [await newStore('Trap'), await newStore('Home')];
  const first = await ask('POST', '/session', { body: { token: await trap.invite(email) } });
  const set = await ask('PUT', '/password', { cookie: first.cookie, body: { new_password: planted } });
  expect(set.status).toBe(204);

  // The person, in their browser: the password that they were told, then the link of the store where they work.
  const signIn = () => ask('POST', '/session', { body: { email, password: planted } });
  const { cookie: victim } = await signIn();
  const opened = await ask('POST', '/session', { cookie: victim, body: { token: await home.invite(email) } });
  expect(opened.body.store).toMatchObject({ id: home.id });

  // The owner of the other store.
  const attacker = await signIn();
  expect(attacker.body.store).toMatchObject({ id: trap.id });
  const reached = await ask('GET', '/stores', { cookie: attacker.cookie });
  expect(reached.body.data.map(({ id }: { id: string }) => id)).toEqual([trap.id]);
  const body = { store_id: home.id };
  expect(await ask('POST', '/session/store', { cookie: attacker.cookie, body })).toMatchObject({ status: 404 });

  // Their own store sees each way in that opens: so far only the link.
  const joins = async () => (await ask('GET', '/audit-log?action=store.joined', { cookie: home.owner })).body.data;
  expect(await joins()).toEqual([]);
  const joined = await ask('POST', '/session/join', { cookie: opened.cookie, body: { password: planted } });
  expect(joined.status).toBe(201);
  expect(await joins()).toMatchObject([{ subject: { name: 'Ana' }, details: { proof: 'password' } }]);
});

test('a look at a link uses nothing up, and leaves the session of the browser', async () => {
  const [mine, theirs] = [await newStore('Mine'), await newStore('Theirs')];
  const token = await theirs.invite('rui@example.com');
  for (let looked = 0; looked < 50; looked += 1) {
    const look = await ask('POST', '/login-link', { cookie: mine.owner, body: { token } });
    expect(look).toMatchObject({ status: 200, cookie: '', body: { store: { name: 'Theirs' }, user: { name: 'Ana' } } });
  }
  expect((await ask('GET', '/session', { cookie: mine.owner })).body.store).toMatchObject({ id: mine.id });
  expect((await ask('POST', '/session', { body: { token } })).status).toBe(201);
  const used = await ask('POST', '/login-link', { body: { token } });
  expect([used.status, JSON.stringify(used.body)]).toEqual([401, expect.not.stringContaining('rui@')]);
});
