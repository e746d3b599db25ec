import { appendOutbox, wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { wakeQuietWatch } from './watch.repository.ts';

/** Lets a quiet calendar be read now, because a client asks for free times. It then stays in use for a while. */
export async function useCalendar(
  { database, relay, fairPauseMs }: Pick<Dependencies, 'database' | 'relay' | 'fairPauseMs'>,
  context: StoreContext,
): Promise<void> {
  const { storeId } = context;
  await database.write(context, async (sql) => {
    const woken = await wakeQuietWatch(sql, storeId, fairPauseMs());
    const wakeUps = woken.map((id) => wakeWorkflow('calendarWatch', id, 'used'));
    await appendOutbox(sql, storeId, wakeUps);
  });
  relay.nudge();
}
