import { inSpan, type Span, type Tracing } from '../process/tracing.ts';
import type { DatabaseOf, StoreScope, SystemScope } from './database.ts';

/**
 * Gives each transaction and each read of a traced request a span, without the text or a value of a statement. Without
 * `tracing` it is the database itself.
 */
export function tracedDatabase<Scope extends SystemScope & Partial<StoreScope>>(
  database: DatabaseOf<Scope>,
  tracing: Tracing | undefined,
  role: 'store' | 'system',
): DatabaseOf<Scope> {
  if (!tracing) return database;
  const traced = <T>(operation: string, scope: Scope, work: (scope: Scope) => Promise<T>): Promise<T> => {
    const span = tracing.follow('client', `postgresql ${operation}`, {
      parent: scope.traceparent,
      attributes: () => ({
        ...{ 'db.system.name': 'postgresql', 'db.operation.name': operation },
        ...{ 'mostrador.role': role, 'mostrador.store_id': scope.storeId },
      }),
    });
    return span ? inSpan(tracing, span, () => work(withSpan(scope, span))) : work(scope);
  };
  return {
    ...database,
    read: (scope, query, options) => traced('read', scope, (own) => database.read(own, query, options)),
    lookUp: (scope, statement) => traced('look-up', scope, (own) => database.lookUp(own, statement)),
    write: (scope, work) => traced('transaction', scope, (own) => database.write(own, work)),
    execute: (scope, statement) => traced('statement', scope, (own) => database.execute(own, statement)),
  };
}

/** The scope with the span as its cause. The other members of a request's context are made on demand, so none is read. */
const withSpan = <Scope extends SystemScope & Partial<StoreScope>>(
  { storeId, deadline, actor, requestId, isFirst, commitBefore }: Scope,
  { traceparent }: Span,
): Scope =>
  ({ storeId, deadline, actor, requestId, isFirst, commitBefore, traceparent }) satisfies Record<
    keyof StoreScope,
    unknown
  > as Scope;
