import { useMutation, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { sayFailure } from '../ui/toasts.tsx';
import { replayQuery, webhooksChanged } from './queries.ts';
import styles from './webhooks.module.css';

const titles = { running: m.webhooks_replay_running, done: m.webhooks_replay_done, cancelled: m.webhooks_replay_ended };

type ReplayProgressProps = {
  readonly endpointId: string;
  readonly replayId: string;
  readonly onClose: () => void;
};

/** How far a replay is. It goes on without this page: its address keeps it. */
export function ReplayProgress({ endpointId, replayId, onClose }: ReplayProgressProps) {
  const { data: replay, error } = useQuery(replayQuery(endpointId, replayId));
  const cancel = useMutation({
    mutationFn: () =>
      dataOf(
        platform.DELETE('/webhooks/endpoints/{endpointId}/replays/{replayId}', {
          params: { path: { endpointId, replayId } },
        }),
      ),
    onSuccess: async (changed) => {
      await keep(replayQuery(endpointId, replayId), changed);
      return webhooksChanged();
    },
    onError: sayFailure,
  });
  if (error && !replay) return <Bad>{wordsOf(error)}</Bad>;
  if (!replay) return null;
  const { total, succeeded, failed, pending } = replay.deliveries;
  const title = titles[replay.status]();
  return (
    <section className={styles.replay} aria-label={title} aria-live="polite">
      <div className={styles.sectionHead}>
        <h2>{title}</h2>
        {replay.status === 'running' ? (
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            {m.webhooks_replay_cancel()}
          </Button>
        ) : (
          <Button kind="bare" aria-label={m.close()} onClick={onClose}>
            <X size={14} aria-hidden />
          </Button>
        )}
      </div>
      <progress
        className={styles.progress}
        aria-label={title}
        max={Math.max(total, 1)}
        value={replay.status === 'done' && total === 0 ? 1 : succeeded + failed}
      />
      <p className={styles.soft}>
        {total === 0 && replay.status !== 'running'
          ? m.webhooks_replay_nothing()
          : m.webhooks_replay_counts({ total, succeeded, failed, pending })}
      </p>
    </section>
  );
}
