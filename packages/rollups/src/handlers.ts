import type { RollupOperations } from '@mostrador/contracts/core';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Rollups } from './rollups.ts';

/** The handlers of a service's rollup operations. They are the same in every service. */
export type RollupHandlers = {
  readonly close: Handler<RollupOperations['close']>;
  readonly verify: Handler<RollupOperations['verify']>;
  readonly reset: Handler<RollupOperations['reset']>;
};

export function rollupHandlers<Metric extends string>(
  rollups: Rollups<Metric>,
  { database, systemDatabase }: { readonly database: Database; readonly systemDatabase: SystemDatabase },
): RollupHandlers {
  return {
    close: async ({ deadline }) => {
      const { closed_until, more } = await rollups.close({ database, systemDatabase, deadline });
      return { closed_until: closed_until && toTimestamp(closed_until), more };
    },
    verify: async ({ deadline }, { body }) => {
      const after = body.after === null ? null : toInstant(body.after);
      const { closed_until, next, quarters, wrong } = await rollups.verify(systemDatabase, { after, deadline });
      return {
        closed_until: closed_until && toTimestamp(closed_until),
        next: next && toTimestamp(next),
        quarters,
        wrong: wrong.map((one) => ({ ...one, quarter: toTimestamp(one.quarter) })),
      };
    },
    reset: async ({ deadline, log }) => {
      const quarters = await rollups.reset(systemDatabase, { deadline });
      log.info({ quarters }, 'the rollups of the reports were deleted');
      return { quarters };
    },
  };
}
