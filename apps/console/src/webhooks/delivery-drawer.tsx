import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { wordsOf } from '../api/failure.ts';
import { dataOf, platform, type WebhookDelivery, type WebhookDeliveryLog } from '../api/platform.ts';
import { keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { Bad } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { say, sayFailure } from '../ui/toasts.tsx';
import { statusKinds, statusWords, wordsOfError } from './delivery-words.ts';
import { deliveryQuery, webhooksChanged } from './queries.ts';
import styles from './webhooks.module.css';

type DeliveryDrawerProps = {
  readonly endpointId: string;
  /** Undefined: it is closed. */
  readonly deliveryId: string | undefined;
  readonly onClose: () => void;
};

/** One delivery with its attempts: what was asked, and what the endpoint answered. */
export function DeliveryDrawer({ endpointId, deliveryId, onClose }: DeliveryDrawerProps) {
  const { data: delivery, error } = useQuery({
    ...deliveryQuery(endpointId, deliveryId ?? ''),
    enabled: deliveryId !== undefined,
  });
  return (
    <Drawer open={deliveryId !== undefined} onClose={onClose} title={delivery?.event_type ?? m.webhooks_delivery()}>
      {delivery ? <Shown delivery={delivery} /> : error ? <Bad>{wordsOf(error)}</Bad> : <Skeleton width="full" />}
    </Drawer>
  );
}

function Shown({ delivery }: { delivery: WebhookDeliveryLog }) {
  const { id, endpoint_id, event_id, sequence, status, error, next_attempt_at, created_at, log } = delivery;
  const retry = useMutation({
    mutationFn: () =>
      dataOf(
        platform.POST('/webhooks/endpoints/{endpointId}/deliveries/{deliveryId}/retry', {
          params: { path: { endpointId: endpoint_id, deliveryId: id } },
        }),
      ),
    onSuccess: async (changed) => {
      await keep(deliveryQuery(endpoint_id, id), { ...changed, log });
      say(m.webhooks_was_retried());
      return webhooksChanged();
    },
    onError: sayFailure,
  });
  return (
    <>
      <p className={styles.health} data-bad={status === 'failed'} aria-live="polite">
        <Badge kind={statusKinds[status]}>{statusWords[status]()}</Badge>
        {wordsOfDelivery(delivery)}
      </p>
      <Facts
        facts={[
          [m.webhooks_event_id(), <CopyText key="id" text={event_id} action={m.webhooks_event_id_copy()} />],
          sequence !== null && [
            m.webhooks_number(),
            <Link key="number" to="/integrations/events" search={{ event: event_id }}>
              {sequence}
            </Link>,
          ],
          [m.webhooks_when(), <Moment key="when" at={created_at} as="log" />],
          next_attempt_at !== null && [m.webhooks_next(), <Moment key="next" at={next_attempt_at} as="coming" />],
          error !== null && [m.webhooks_last_error(), wordsOfError(error)],
        ]}
      />
      {sequence !== null && status !== 'pending' && (
        <div>
          <Button busy={retry.isPending} onClick={() => retry.mutate()}>
            <RotateCw size={14} aria-hidden />
            {m.webhooks_retry()}
          </Button>
        </div>
      )}
      {log.length > 0 && (
        <section className={styles.section}>
          <h3>{m.webhooks_attempts()}</h3>
          <ol className={styles.attempts}>
            {log.map((attempt) => (
              <li key={attempt.number}>
                <p className={styles.attempt}>
                  <span className={styles.number}>{attempt.number}</span>
                  <Badge kind={attempt.error === null ? 'good' : 'bad'}>
                    {attempt.response_status ?? m.webhooks_no_answer()}
                  </Badge>
                  <span>{attempt.error === null ? m.webhooks_accepted() : wordsOfError(attempt.error)}</span>
                  <span className={styles.soft}>
                    <Moment at={attempt.started_at} as="log" /> · {attempt.duration_ms} ms
                  </span>
                </p>
                {attempt.response_body && (
                  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
                  <section className={styles.answer} tabIndex={0} aria-label={m.webhooks_answer()}>
                    {attempt.response_body}
                  </section>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

function wordsOfDelivery({ status, attempts, next_attempt_at }: WebhookDelivery): string {
  if (status === 'succeeded') return m.webhooks_delivery_was_accepted({ count: attempts });
  if (status === 'failed') return m.webhooks_delivery_was_given_up({ count: attempts });
  if (status === 'cancelled') return m.webhooks_delivery_was_cancelled();
  return next_attempt_at && attempts > 0 ? m.webhooks_delivery_waits() : m.webhooks_delivery_under_way();
}
