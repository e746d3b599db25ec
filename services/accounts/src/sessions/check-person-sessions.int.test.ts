import {
  authorizePerson,
  checkPersonSessions,
  disableUser,
  endPersonSession,
  mostCheckedSessions,
  removeUser,
} from '@mostrador/contracts';
import { sessionForm } from '@mostrador/kit/tokens/token';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { createPeople } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const check = async (...tokens: string[]) => (await people.ask(checkPersonSessions, { body: { tokens } })).sessions;
const authorize = (token: string) => people.ask(authorizePerson, { body: { touch: false } }, token);

test('each session is answered as if it were asked about alone, in the order of the tokens', async () => {
  const [ana, rui] = [await people.signedIn(), await people.signedIn()];
  const falseOne = sessionForm.make().token;
  const [id, secret] = [ana.token.split('_')[1], rui.token.split('_')[2]];
  expect(await check(ana.token, falseOne, rui.token, 'x', ana.token, `ms_${id}_${secret}`)).toEqual([
    await authorize(ana.token),
    null,
    await authorize(rui.token),
    null,
    await authorize(ana.token),
    null,
  ]);
});

test('a session that is over is null, whatever ended it', async () => {
  const store = await people.newStore();
  const signedIn = await Promise.all(Array.from({ length: 6 }, () => people.signedIn(store)));
  const [kept, left, disabled, removed, expired, idle] = signedIn as [
    ...[(typeof signedIn)[0], (typeof signedIn)[0], (typeof signedIn)[0]],
    ...[(typeof signedIn)[0], (typeof signedIn)[0], (typeof signedIn)[0]],
  ];
  await people.ask(endPersonSession, {}, left.token);
  await accounts.admin(disableUser, { body: { email: disabled.email } });
  await accounts.admin(removeUser, { body: { store_id: store, email: removed.email } });
  const set = (token: string, column: 'expires_at' | 'last_seen_at') => accounts.adminSql`
    update sessions set ${accounts.adminSql(column)} = now() - interval '13 hours' where id = ${token.split('_')[1] ?? ''}`;
  await set(expired.token, 'expires_at');
  await set(idle.token, 'last_seen_at');
  const answers = await check(...signedIn.map(({ token }) => token));
  expect(answers.map((answer) => answer?.user_id)).toEqual([
    kept.userId,
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});

test('a check does not keep a session in use, and its number is limited', async () => {
  const { token } = await people.signedIn();
  await accounts.adminSql`update sessions set last_seen_at = last_seen_at - interval '1 hour'`;
  const before = await accounts.adminSql`select last_seen_at from sessions order by id`;
  await check(token);
  expect(await accounts.adminSql`select last_seen_at from sessions order by id`).toEqual(before);
  const tokens = Array.from({ length: mostCheckedSessions }, () => token);
  expect(await check(...tokens)).toHaveLength(mostCheckedSessions);
  await expect(check(...tokens, token)).rejects.toMatchObject({ code: 'validation_failed' });
});
