import { forgetOwn } from '../inbox/own-storage.ts';
import type { Session } from './platform.ts';
import { queries, sessionQuery } from './queries.ts';

/** All tabs of a browser have its session, so one that changes it tells the others. */
const name = 'mostrador.session';

/** Says to the other tabs that the person has signed in or out, or has gone to another store. */
export function tellOfSession(): void {
  const channel = new BroadcastChannel(name);
  channel.postMessage('changed');
  channel.close();
}

/** Hears what other tabs say. The session is read again: `sessionQuery` leaves what was shown of another one. */
export function hearOfSession(): void {
  new BroadcastChannel(name).onmessage = () => void queries.invalidateQueries(sessionQuery);
}

/** The person has signed in. Nothing that was read before is shown, and nothing that another person kept here stays. */
export function enter(session: Session): void {
  queries.clear();
  forgetOwn();
  queries.setQueryData(sessionQuery.queryKey, session);
  tellOfSession();
}
