import type { Hint } from './hints.ts';

type StreamOptions = {
  readonly url: string;
  /** The sequence of the last event that is known. Undefined: none is. */
  readonly cursor: number | undefined;
  readonly onHint: (hint: Hint) => void;
  readonly onState: (connected: boolean) => void;
  /** Called when events may have been missed, so that everything has to be read again. */
  readonly onGap: () => void;
  /** Called when the server no longer accepts the session. */
  readonly onRefused: () => void;
};

const firstRetryMs = 1_000;
const longestRetryMs = 15_000;
/** A timer of this period that comes so late has slept: the computer or the tab was suspended. */
const tickMs = 5_000;
const sleptMs = 20_000;
/** Browsers let the timers of a hidden tab run once a minute. */
const sleptHiddenMs = 120_000;

/**
 * Follows the event stream until it is stopped, through lost connections, restarts of the server and sleep. It resumes
 * after the last event, and says so when that is not possible.
 */
export function followStream({ url, cursor, onHint, onState, onGap, onRefused }: StreamOptions): () => void {
  let last = cursor;
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstRetryMs;
  let stopped = false;
  let probing: AbortController | undefined;

  const address = () => (last === undefined ? url : `${url}?after=${last}`);

  const connect = () => {
    clearTimeout(retry);
    source?.close();
    const opened = new EventSource(address());
    source = opened;
    opened.onopen = () => {
      waitMs = firstRetryMs;
      onState(true);
      // It begins with the events to come, so what happened before them is unknown.
      if (last === undefined) onGap();
    };
    opened.onmessage = ({ data }) => {
      const hint = JSON.parse(data) as Hint;
      last = hint.sequence;
      onHint(hint);
    };
    opened.onerror = () => {
      onState(false);
      // Else the browser connects again by itself, with the id of the last event.
      if (opened.readyState === EventSource.CLOSED) again();
    };
  };

  const again = () => {
    if (stopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => void probe(), waitMs * (0.5 + Math.random()));
    waitMs = Math.min(waitMs * 2, longestRetryMs);
  };

  /** Learns why the server refused: an `EventSource` does not say it. */
  const probe = async () => {
    const attempt = new AbortController();
    probing = attempt;
    try {
      const headers = { accept: 'text/event-stream' };
      const { status } = await fetch(address(), { signal: attempt.signal, headers });
      attempt.abort();
      if (stopped) return;
      if (status === 401 || status === 403) return onRefused();
      if (status === 410) last = undefined;
      if (status === 200 || status === 410) return connect();
    } catch {
      // There is no connection yet.
    }
    again();
  };

  let tickedAt = Date.now();
  const tick = setInterval(() => {
    const now = Date.now();
    if (now - tickedAt > (document.hidden ? sleptHiddenMs : sleptMs)) connect();
    tickedAt = now;
  }, tickMs);
  /** A connection from before may be dead without the browser's knowledge. */
  const reconnect = () => connect();
  const lost = () => onState(false);
  addEventListener('online', reconnect);
  addEventListener('offline', lost);
  addEventListener('pageshow', onPageShow);
  function onPageShow({ persisted }: PageTransitionEvent) {
    if (persisted) connect();
  }
  connect();
  return () => {
    stopped = true;
    probing?.abort();
    clearTimeout(retry);
    clearInterval(tick);
    removeEventListener('online', reconnect);
    removeEventListener('offline', lost);
    removeEventListener('pageshow', onPageShow);
    source?.close();
  };
}
