import type { Passkey } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { isReachable } from '../sessions/reach.repository.ts';
import type { Reaching } from '../sessions/reach.ts';
import type { SessionRow } from '../sessions/session.repository.ts';

type PasskeyRow = { id: string; name: string; created_at: Date; last_used_at: Date | null; synced: boolean };

/** A passkey with what its signature is checked with. */
export type SigningPasskey = {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: string[];
};

export async function insertChallenge(
  sql: TransactionSql,
  challenge: { challenge: string; sessionId: string | null; proved: boolean; byPassword: boolean; minutes: number },
): Promise<void> {
  await sql`
    insert into passkey_challenges (challenge, session_id, proved, by_password, expires_at)
    values (${challenge.challenge}, ${challenge.sessionId}, ${challenge.proved}, ${challenge.byPassword},
      clock_timestamp() + make_interval(mins => ${challenge.minutes}))`;
}

/** What a challenge says about the person who asked for it. */
export type TakenChallenge = { readonly proved: boolean; readonly by_password: boolean };

/** Takes a challenge of this session (null: of a person who signs in), so that nothing can use it again. */
export async function takeChallenge(
  sql: TransactionSql,
  challenge: string,
  sessionId: string | null,
): Promise<TakenChallenge | undefined> {
  const [row] = await sql<TakenChallenge[]>`
    delete from passkey_challenges
    where challenge = ${challenge} and session_id is not distinct from ${sessionId} and expires_at > clock_timestamp()
    returning proved, by_password`;
  return row;
}

export async function purgeChallenges(sql: TransactionSql, limit: number): Promise<number> {
  const rows = await sql`
    delete from passkey_challenges where challenge in (
      select challenge from passkey_challenges where expires_at < now() limit ${limit}) returning 1`;
  return rows.length;
}

type Holder = Pick<SessionRow, 'user_id'> & Reaching;

/**
 * The passkeys `p` that the holder of a session may see, rename and remove: those that open no store to which the session
 * may not go. An owner may hold the link of a session, or have made a passkey for the person.
 */
const within = (sql: Sql, holder: Holder) => sql`
  p.user_id = ${holder.user_id} and not exists (
    select from credential_stores o join memberships m on m.store_id = o.store_id and m.user_id = o.user_id
    where o.passkey_id = p.id and not ${isReachable(sql, holder)})`;

export async function listPasskeys(sql: Sql, holder: Holder): Promise<Passkey[]> {
  const rows = await sql<PasskeyRow[]>`
    select p.id, p.name, p.created_at, p.last_used_at, p.synced from passkeys p
    where ${within(sql, holder)} order by p.created_at, p.id`;
  return rows.map(toPasskey);
}

/** The credentials that the person has: a browser that has one of them must not make a second passkey. */
export async function listCredentialIds(sql: Sql, userId: string): Promise<{ id: string; transports: string[] }[]> {
  return await sql<{ id: string; transports: string[] }[]>`
    select credential_id as id, transports from passkeys where user_id = ${userId}`;
}

/** Undefined: a person has a passkey with this credential already. */
export async function insertPasskey(
  sql: TransactionSql,
  passkey: {
    userId: string;
    name: string;
    credentialId: string;
    publicKey: Uint8Array;
    counter: number;
    transports: readonly string[];
    synced: boolean;
  },
): Promise<Passkey | undefined> {
  const [row] = await sql<PasskeyRow[]>`
    insert into passkeys (user_id, name, credential_id, public_key, counter, transports, synced)
    values (${passkey.userId}, ${passkey.name}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.counter},
      ${passkey.transports}::text[], ${passkey.synced})
    on conflict (credential_id) do nothing returning id, name, created_at, last_used_at, synced`;
  return row && toPasskey(row);
}

export async function renamePasskeyRow(
  sql: TransactionSql,
  holder: Holder,
  { passkeyId, name }: { passkeyId: string; name: string },
): Promise<Passkey | undefined> {
  const [row] = await sql<PasskeyRow[]>`
    update passkeys p set name = ${name} where p.id = ${passkeyId} and ${within(sql, holder)}
    returning p.id, p.name, p.created_at, p.last_used_at, p.synced`;
  return row && toPasskey(row);
}

export async function deletePasskey(sql: TransactionSql, holder: Holder, passkeyId: string): Promise<boolean> {
  const rows = await sql`delete from passkeys p where p.id = ${passkeyId} and ${within(sql, holder)} returning 1`;
  return rows.length > 0;
}

export async function deletePasskeysOf(sql: TransactionSql, userId: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${userId}`;
}

/** The passkey with this credential, unless its person is disabled. */
export async function findSigningPasskey(sql: Sql, credentialId: string): Promise<SigningPasskey | undefined> {
  const [row] = await sql<SigningPasskey[]>`
    select p.id, p.user_id, p.credential_id, p.public_key, p.counter::float8 as counter, p.transports
    from passkeys p join users u on u.id = p.user_id
    where p.credential_id = ${credentialId} and u.disabled_at is null`;
  return row;
}

/** Records a use. False: the passkey is gone, or another use had this counter at the same moment. */
export async function recordPasskeyUse(
  sql: TransactionSql,
  use: { id: string; counter: number; synced: boolean },
): Promise<boolean> {
  const rows = await sql`
    update passkeys set counter = ${use.counter}, synced = ${use.synced}, last_used_at = clock_timestamp()
    where id = ${use.id} and (counter < ${use.counter} or (counter = 0 and ${use.counter} = 0)) returning 1`;
  return rows.length > 0;
}

const toPasskey = (row: PasskeyRow): Passkey => ({
  ...row,
  created_at: toTimestamp(row.created_at),
  last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
});
