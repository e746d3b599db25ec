import { type AuditEntry, listAuditLog as operation } from '@mostrador/contracts';
import { encodeCursor, readCursor } from '@mostrador/kit/database/paging';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import { Type } from '@sinclair/typebox';
import type { Dependencies } from '../dependencies.ts';
import { requireSession } from '../sessions/session.ts';
import { toAuditDetails } from './audit-details.ts';
import {
  type AuditRow,
  findInvited,
  listAuditRows,
  listInvited,
  namesOfKeys,
  namesOfPeople,
} from './audit-log.repository.ts';

const defaultLimit: number = operation.request.query.properties.limit.default;
const Position = Type.Object({ before: Type.String({ format: 'uuid' }) });

/** Names are read when the log is shown: an entry has only ids, and those of people are those of the store. */
export const listAuditLog =
  ({ database, systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { query }) => {
    const { store_id: storeId } = await requireSession(systemDatabase, context);
    const { cursor, limit = defaultLimit, actor_id: personId, action, from, to } = query;
    const filters = { actorId: personId, action, from, to };
    const position = readCursor({ cursor }, filters, Position);
    const scope = { storeId, deadline: context.deadline };
    const actorId =
      personId === undefined ? undefined : await database.read(scope, (sql) => findInvited(sql, storeId, personId));
    if (actorId === null) return { data: [], next_cursor: null };
    // One extra row shows whether there is a next page.
    const rows = await database.read(scope, (sql) =>
      listAuditRows(sql, storeId, {
        ...{ actorId, action, before: position?.before, limit: limit + 1 },
        from: from === undefined ? undefined : toInstant(from),
        to: to === undefined ? undefined : toInstant(to),
      }),
    );
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const subjects = [...new Set(shown.map(({ subject_id }) => subject_id))];
    const people = [...new Set([...subjects.filter(isUuid), ...shown.flatMap(({ actor_id }) => actor_id ?? [])])];
    const [keys, invited] = await database.read(scope, (sql) =>
      Promise.all([namesOfKeys(sql, storeId, subjects), listInvited(sql, storeId, people)]),
    );
    const idsOfPeople = new Map(invited);
    const persons = await systemDatabase.read(context, (sql) => namesOfPeople(sql, storeId, [...idsOfPeople.keys()]));
    const names = new Map([...keys, ...persons]);
    return {
      data: shown.map((row) => toAuditEntry(row, names, idsOfPeople)),
      next_cursor: last ? encodeCursor({ before: last.id }, filters) : null,
    };
  };

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const toAuditEntry = (
  row: AuditRow,
  names: ReadonlyMap<string, string>,
  idsOfPeople: ReadonlyMap<string, string>,
): AuditEntry => ({
  id: row.id,
  at: toTimestamp(row.at),
  actor: {
    kind: row.actor_kind,
    id: row.actor_person_id,
    name: row.actor_id === null ? null : (names.get(row.actor_id) ?? null),
  },
  action: row.action,
  subject: { id: idsOfPeople.get(row.subject_id) ?? row.subject_id, name: names.get(row.subject_id) ?? null },
  details: toAuditDetails(row.details),
  address: row.address,
});
