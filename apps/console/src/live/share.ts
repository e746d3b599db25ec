import type { Hint } from './hints.ts';
import { followStream } from './stream.ts';

/** What the tab with the connection tells the others. */
type News =
  | { readonly kind: 'hint'; readonly hint: Hint }
  | { readonly kind: 'gap' }
  | { readonly kind: 'state'; readonly connected: boolean; readonly cursor: number | undefined }
  /** A tab that has just opened asks how things are. */
  | { readonly kind: 'ask' };

type ShareOptions = {
  readonly url: string;
  /** Tabs with the same name share one connection. */
  readonly name: string;
  readonly onHint: (hint: Hint) => void;
  readonly onGap: () => void;
  readonly onState: (connected: boolean) => void;
  readonly onRefused: () => void;
};

/**
 * Follows the event stream with one connection for all tabs of the browser. A tab holds it for as long as it has the
 * lock. When it closes, the lock goes to another tab, which resumes after the last event that it has heard of.
 */
export function shareStream({ url, name, onHint, onGap, onState, onRefused }: ShareOptions): () => void {
  const channel = new BroadcastChannel(name);
  const stopping = new AbortController();
  let cursor: number | undefined;
  let connected = false;
  let isLeader = false;
  const tell = (news: News) => channel.postMessage(news);

  const take = (news: News) => {
    if (news.kind === 'hint') {
      cursor = news.hint.sequence;
      onHint(news.hint);
    } else if (news.kind === 'gap') {
      onGap();
    } else if (news.kind === 'state') {
      cursor = news.cursor ?? cursor;
      connected = news.connected;
      onState(connected);
    } else if (isLeader) {
      tell({ kind: 'state', connected, cursor });
    }
  };
  const both = (news: News) => {
    take(news);
    tell(news);
  };
  channel.onmessage = ({ data }: MessageEvent<News>) => take(data);
  tell({ kind: 'ask' });

  const holdConnection = () =>
    new Promise<void>((resolve) => {
      if (stopping.signal.aborted) return resolve();
      isLeader = true;
      const stop = followStream({
        url,
        cursor,
        onHint: (hint) => both({ kind: 'hint', hint }),
        onGap: () => both({ kind: 'gap' }),
        onState: (next) => both({ kind: 'state', connected: next, cursor }),
        onRefused,
      });
      stopping.signal.addEventListener('abort', () => {
        stop();
        resolve();
      });
    });
  navigator.locks.request(name, { signal: stopping.signal }, holdConnection).catch(() => {
    // The tab stopped before it had the lock.
  });
  return () => {
    stopping.abort();
    channel.close();
  };
}
