import {
  changeMessagingSettings,
  changeSchedulingSettings,
  getMessagingSettings,
  getSchedulingSettings,
  type RequestOf,
  type StoreOptions,
  type StoreRecord,
  type updateStoreOptions,
} from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';

type Changes = RequestOf<typeof updateStoreOptions>['body'];

/** The parts of a change, by the service that has them. Undefined: nothing of it changes. */
export function partsOf(changes: Changes) {
  const { name, timezone, locale, country } = changes;
  const { message_wait_seconds, session_idle_hours, opt_out_stops_api } = changes;
  const { sending_windows, calendar_customer } = changes;
  return {
    store: given({ name, timezone, locale, country }),
    messaging: given({ message_wait_seconds, session_idle_hours, opt_out_stops_api }),
    scheduling: given({ sending_windows, calendar_customer }),
  };
}

/** Changes what messaging and scheduling have, and reads what does not change. */
export async function askServices(
  rpc: RpcClient,
  context: CallContext,
  { messaging, scheduling }: Pick<ReturnType<typeof partsOf>, 'messaging' | 'scheduling'>,
): Promise<Omit<StoreOptions, 'name' | 'timezone' | 'locale' | 'country'>> {
  const [ofMessaging, ofScheduling] = await Promise.all([
    messaging
      ? rpc.call(changeMessagingSettings, { body: messaging }, context)
      : rpc.call(getMessagingSettings, {}, context),
    scheduling
      ? rpc.call(changeSchedulingSettings, { body: scheduling }, context)
      : rpc.call(getSchedulingSettings, {}, context),
  ]);
  return { ...ofScheduling, ...ofMessaging };
}

export const shownOf = ({ name, timezone, locale, country }: StoreRecord) => ({ name, timezone, locale, country });

function given<Part extends object>(part: Part): Part | undefined {
  const members = Object.entries(part).filter(([, value]) => value !== undefined);
  return members.length === 0 ? undefined : (Object.fromEntries(members) as Part);
}
