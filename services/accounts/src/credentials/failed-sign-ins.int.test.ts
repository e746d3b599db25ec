import {
  createPasskey,
  createPasskeySession,
  createPersonSession,
  disableUser,
  joinStore,
  listAuditLog,
  setPassword,
  startPasskey,
  startPasskeySession,
} from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import { accountsForFile, publicUrl } from '../../test/accounts.ts';
import { createAuthenticator } from '../../test/authenticator.ts';
import { client, createPeople, password, tokenOf } from '../../test/people.ts';
import { purge } from '../purge.ts';
import { tellFailedSignIns } from './failed-sign-ins.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

async function withPassword() {
  const person = await people.signedIn();
  await people.setPassword(person.token);
  return person;
}
const failed = (tried: Promise<unknown>) =>
  tried.then(
    () => 'opened',
    ({ code }) => code,
  );
const failuresOf = async (token: string) =>
  (await people.ask(listAuditLog, { query: { action: 'sign_in.failed' } }, token)).data;
const guest = { kind: 'guest', id: null, name: null };

describe('a failed sign-in is in the audit log with its method and its network', () => {
  test('with a password', async () => {
    const { email, userId, token } = await withPassword();
    expect(await failed(people.signIn(email.toUpperCase(), 'wrong'))).toBe('invalid_credentials');
    expect(await failuresOf(token)).toEqual([
      {
        ...{ id: expect.any(String), at: expect.any(String), actor: guest, address: client.address },
        ...{ action: 'sign_in.failed', subject: { id: userId, name: 'Ana' }, details: { method: 'password' } },
      },
    ]);
    const opened = await people.ask(listAuditLog, { query: { action: 'session.opened' } }, token);
    expect(opened.data.map(({ details }) => details)).toEqual([{ method: 'link' }]);
    await people.signIn(email, password);
    const again = await people.ask(listAuditLog, { query: { action: 'session.opened' } }, token);
    expect(again.data[0]?.details).toEqual({ method: 'password' });
  });

  test('with a link that was used, and with one whose secret is wrong', async () => {
    const { link, token } = await people.signedIn();
    expect(await failed(people.open(link))).toBe('invalid_login_link');
    const [entry] = await failuresOf(token);
    expect(entry).toMatchObject({ actor: guest, details: { method: 'link' } });
    const other = await people.signedIn();
    const forged = `${other.link.slice(0, -3)}abc`;
    expect(await failed(people.open(forged))).toBe('invalid_login_link');
    expect(await failuresOf(other.token)).toHaveLength(1);
  });

  test('with a passkey that signs wrong', async () => {
    const { token } = await people.signedIn();
    const phone = createAuthenticator({ rpId: 'api.example.com', origin: publicUrl });
    const { options } = await people.ask(startPasskey, { body: {} }, token);
    await people.ask(createPasskey, { body: { name: 'Phone', answer: phone.create(options) } }, token);
    const question = await people.ask(startPasskeySession, {});
    const answer = phone.answer(question.options);
    await people.ask(createPasskeySession, { body: { answer } });
    expect(await failed(people.ask(createPasskeySession, { body: { answer } }))).toBe('invalid_credentials');
    expect(await failuresOf(token)).toMatchObject([{ actor: guest, details: { method: 'passkey' } }]);
  });

  test('with a password that is asked for in a session', async () => {
    const { email, userId } = await withPassword();
    const store = await people.newStore();
    const { login_url } = await people.invite(store, email);
    const { session_token } = await people.open(tokenOf(login_url));
    expect(await failed(people.ask(joinStore, { body: { password: 'wrong' } }, session_token))).toBe('wrong_password');
    const [entry] = await failuresOf(session_token);
    expect(entry).toMatchObject({ actor: guest, details: { method: 'password' } });
    expect(entry?.subject.id).not.toBe(userId);
  });

  test('of a person without a password, and of a disabled one', async () => {
    const owner = await people.signedIn();
    const other = await people.signedIn(owner.store);
    await people.setPassword(other.token);
    await accounts.admin(disableUser, { body: { email: other.email } });
    for (const { email } of [owner, other]) {
      expect(await failed(people.signIn(email, password))).toBe('invalid_credentials');
    }
    const subjects = (await failuresOf(owner.token)).map(({ subject }) => subject.id);
    expect(subjects.toSorted()).toEqual([owner.userId, other.userId].toSorted());
  });
});

test('a store that the password does not open learns nothing of the attempt', async () => {
  const { email, token } = await withPassword();
  const other = await people.signedIn();
  await people.invite(other.store, email);
  await failed(people.signIn(email, 'wrong'));
  expect(await failuresOf(token)).toHaveLength(1);
  expect(await failuresOf(other.token)).toEqual([]);
});

test('an attacker with many networks and attempts makes a few entries, which have the number of all attempts', async () => {
  const { email, token } = await withPassword();
  for (let network = 0; network < 9; network += 1) {
    for (let tried = 0; tried < 3; tried += 1) {
      await failed(people.signIn(email, 'wrong', undefined, { address: `198.51.100.${network}` }));
    }
  }
  const atOnce = await failuresOf(token);
  expect(atOnce.map(({ address }) => address).toSorted()).toEqual(
    [...[0, 1, 2, 3, 4].map((network) => `198.51.100.${network}`), null].toSorted(),
  );
  await tellFailedSignIns(accounts.systemDatabase);
  expect(await failuresOf(token)).toEqual(atOnce);
  await accounts.adminSql`update failed_sign_ins set since = since - interval '61 minutes'`;
  await tellFailedSignIns(accounts.systemDatabase);
  await tellFailedSignIns(accounts.systemDatabase);
  const all = await failuresOf(token);
  expect(all).toHaveLength(12);
  const attempts = all.reduce((sum, { details }) => sum + (details?.attempts ?? 1), 0);
  expect(attempts).toBe(27);
  expect(await accounts.adminSql`select 1 from failed_sign_ins`).toHaveLength(0);
});

test('an address that no person has is counted, and in no audit log', async () => {
  const before = await accounts.adminSql`select count(*)::int as entries from audit_log`;
  await failed(people.signIn('unknown@example.com', 'wrong'));
  expect(await accounts.adminSql`select count(*)::int as entries from audit_log`).toEqual(before);
  expect(await accounts.adminSql`select user_id from failed_sign_ins`).toContainEqual({ user_id: null });
});

describe('a browser in which the person gave their password', () => {
  const attack = async (email: string) => {
    for (let tried = 0; tried < 11; tried += 1) await failed(people.signIn(email, 'wrong'));
    expect(await failed(people.signIn(email, password))).toBe('quota_exceeded');
  };
  const from = (device: string | undefined) => ({ device, address: '203.0.113.99' });

  test('signs in while others try the address, after a sign-in and after a new password', async () => {
    const person = await people.signedIn();
    const { device_token: first } = await people.setPassword(person.token);
    const { device_token: second } = await people.signIn(person.email, password);
    await attack(person.email);
    for (const device of [first, second]) {
      const signed = await people.signIn(person.email, password, undefined, from(device));
      expect(signed.device_token).toBe(device);
    }
    expect(await failed(people.signIn(person.email, password))).toBe('quota_exceeded');
  });

  test('has its own ten attempts, and they lock no other browser', async () => {
    const { email } = await withPassword();
    const { device_token: mine } = await people.signIn(email, password);
    const { device_token: other } = await people.signIn(email, password);
    const codes = [];
    for (let tried = 0; tried < 11; tried += 1) {
      codes.push(await failed(people.signIn(email, 'wrong', undefined, from(mine))));
    }
    expect(new Set(codes.slice(0, 10))).toEqual(new Set(['invalid_credentials']));
    expect(codes[10]).toBe('quota_exceeded');
    await people.signIn(email, password, undefined, from(other));
    await people.signIn(email, password);
  });

  test('changes the password in a session while others try the address', async () => {
    const { email } = await withPassword();
    const { session_token, device_token } = await people.signIn(email, password);
    await attack(email);
    const joined = people.ask(joinStore, { body: { password } }, session_token, from(device_token));
    expect(await failed(joined)).toBe('opened');
  });

  test('counts for this person only, with its own token only, and until a new password', async () => {
    const { email } = await withPassword();
    const stranger = await withPassword();
    const { device_token: foreign } = await people.signIn(stranger.email, password);
    const { device_token: mine = '', session_token } = await people.signIn(email, password);
    const next = 'azul de metileno e sal';
    await attack(email);
    const tries = [foreign, `${mine.slice(0, -3)}abc`, 'md_x', undefined];
    for (const device of tries) {
      expect(await failed(people.signIn(email, password, undefined, from(device)))).toBe('quota_exceeded');
    }
    const body = { new_password: next, current_password: password };
    const changed = await people.ask(setPassword, { body }, session_token, from(mine));
    expect(changed.device_token).not.toBe(mine);
    expect(await failed(people.signIn(email, next, undefined, from(mine)))).toBe('quota_exceeded');
    await people.signIn(email, next, undefined, from(changed.device_token));
  });

  test('may be that of several people', async () => {
    const [ana, rui] = [await withPassword(), await withPassword()];
    const { device_token: shared } = await people.signIn(ana.email, password);
    expect((await people.signIn(rui.email, password, undefined, from(shared))).device_token).toBe(shared);
    await attack(ana.email);
    await attack(rui.email);
    for (const { email } of [ana, rui]) await people.signIn(email, password, undefined, from(shared));
  });

  test('is forgotten when it was not used for 180 days, and beyond the 20 latest', async () => {
    const { email, rowId } = await withPassword();
    const { device_token: old } = await people.signIn(email, password);
    await accounts.adminSql`update devices set last_used_at = now() - interval '181 days' where user_id = ${rowId}`;
    await purge(accounts.systemDatabase);
    expect(await accounts.adminSql`select 1 from devices where user_id = ${rowId}`).toHaveLength(0);
    await accounts.adminSql`
      insert into devices (id, user_id, token_hash)
      select 'made' || n, ${rowId}, sha256(n::text::bytea) from generate_series(1, 25) as n`;
    await people.signIn(email, password, undefined, from(old));
    expect(await accounts.adminSql`select 1 from devices where user_id = ${rowId}`).toHaveLength(20);
  });
});

test('an attempt that could not be checked is no failed sign-in', async () => {
  const { token } = await withPassword();
  expect(await failed(people.ask(createPersonSession, { body: { token: 'ml_x' } }))).toBe('invalid_login_link');
  expect(await failuresOf(token)).toEqual([]);
});
