import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';

/** What people and operators do, as `<what>.<done>`; what a person asked of another service is named after its operation. */
export type AuditAction =
  | 'key.created'
  | 'key.replaced'
  | 'key.revoked'
  | 'user.invited'
  | 'user.disabled'
  | 'login_link.created'
  | 'session.opened'
  | 'session.ended'
  | 'session.revoked'
  | (`${string}.${string}` & {});

export type AuditEntry = {
  readonly storeId: string;
  /** Null: the operator, with the admin command. */
  readonly actorId: string | null;
  readonly action: AuditAction;
  /** The id of what was changed. */
  readonly subjectId: string;
  /** What else was asked. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
};

/** Writes entries in the transaction of what they tell. */
export async function appendAudit(
  sql: TransactionSql,
  { requestId, client }: Pick<Context, 'requestId' | 'client'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (const { storeId, actorId, action, subjectId, details } of entries) {
    await sql`
      insert into audit_log (store_id, actor_kind, actor_id, action, subject_id, details, address, request_id)
      values (${storeId}, ${actorId === null ? 'operator' : 'user'}, ${actorId}, ${action}, ${subjectId},
        ${details ? sql.json(details as never) : null},
        ${client?.address ?? null}, ${requestId})`;
  }
}

const failedSignIn = { action: 'sign_in.failed' } as const;

/** Writes a failed attempt to sign in as a person into the log of each of these stores. Who tried is not known. */
export async function appendFailedSignIn(
  sql: TransactionSql,
  failure: {
    readonly storeIds: readonly string[];
    readonly userId: string | null;
    readonly method: string;
    /** How many. Undefined: one. */
    readonly attempts?: number;
    /** Empty: several. */
    readonly address: string;
    readonly requestId: string;
  },
): Promise<void> {
  const { storeIds, userId, method, attempts, address, requestId } = failure;
  const details = { method, ...(attempts !== undefined && { attempts }) };
  await sql`
    insert into audit_log (store_id, actor_kind, action, subject_id, details, address, request_id)
    select store_id, 'guest', ${failedSignIn.action}, ${userId ?? ''}, ${sql.json(details)}, ${address || null},
      ${requestId}
    from unnest(${storeIds}::uuid[]) as store_id`;
}
