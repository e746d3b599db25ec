import type { Passkey } from '@mostrador/contracts';
import type { Sql, TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

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
  challenge: { challenge: string; sessionId: string | null; proved: boolean; minutes: number },
): Promise<void> {
  await sql`
    insert into passkey_challenges (challenge, session_id, proved, expires_at)
    values (${challenge.challenge}, ${challenge.sessionId}, ${challenge.proved},
      clock_timestamp() + make_interval(mins => ${challenge.minutes}))`;
}

/** Takes a challenge of this session (null: of somebody who signs in), so that nothing can use it again. */
export async function takeChallenge(
  sql: TransactionSql,
  challenge: string,
  sessionId: string | null,
): Promise<{ proved: boolean } | undefined> {
  const [row] = await sql<{ proved: boolean }[]>`
    delete from passkey_challenges
    where challenge = ${challenge} and session_id is not distinct from ${sessionId} and expires_at > clock_timestamp()
    returning proved`;
  return row;
}

export async function purgeChallenges(sql: TransactionSql, limit: number): Promise<number> {
  const rows = await sql`
    delete from passkey_challenges where challenge in (
      select challenge from passkey_challenges where expires_at < now() limit ${limit}) returning 1`;
  return rows.length;
}

export async function listPasskeys(sql: Sql, userId: string): Promise<Passkey[]> {
  const rows = await sql<PasskeyRow[]>`
    select id, name, created_at, last_used_at, synced from passkeys where user_id = ${userId} order by created_at, id`;
  return rows.map(toPasskey);
}

/** The credentials that the person has: a browser that has one of them must not make a second passkey. */
export async function listCredentialIds(sql: Sql, userId: string): Promise<{ id: string; transports: string[] }[]> {
  return await sql<{ id: string; transports: string[] }[]>`
    select credential_id as id, transports from passkeys where user_id = ${userId}`;
}

/** Undefined: somebody has a passkey with this credential already. */
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
  { userId, passkeyId, name }: { userId: string; passkeyId: string; name: string },
): Promise<Passkey | undefined> {
  const [row] = await sql<PasskeyRow[]>`
    update passkeys set name = ${name} where id = ${passkeyId} and user_id = ${userId}
    returning id, name, created_at, last_used_at, synced`;
  return row && toPasskey(row);
}

export async function deletePasskey(sql: TransactionSql, userId: string, passkeyId: string): Promise<boolean> {
  const rows = await sql`delete from passkeys where id = ${passkeyId} and user_id = ${userId} returning 1`;
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
