import { useQuery } from '@tanstack/react-query';
import { wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';
import { Button } from '../ui/button.tsx';
import { CopyBox } from '../ui/copy.tsx';
import { Drawer } from '../ui/drawer.tsx';
import { CopyText, Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { Bad } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { eventQuery, isTooOld } from './queries.ts';

type EventDrawerProps = {
  /** Undefined: it is closed. */
  readonly eventId: string | undefined;
  readonly onClose: () => void;
  readonly onEntity: (id: string) => void;
};

/** One event, as programs get it. */
export function EventDrawer({ eventId, onClose, onEntity }: EventDrawerProps) {
  const { data: event, error } = useQuery({ ...eventQuery(eventId ?? ''), enabled: eventId !== undefined });
  return (
    <Drawer open={eventId !== undefined} onClose={onClose} title={event?.type ?? m.events_event()}>
      {event ? (
        <>
          <Facts
            facts={[
              [m.events_id(), <CopyText key="id" text={event.id} action={m.events_id_copy()} />],
              [m.events_number(), event.sequence],
              [m.events_when(), <Moment key="when" at={event.created_at} relative />],
              [
                m.events_entity(),
                <CopyText
                  key="entity"
                  text={event.entity.id}
                  action={m.events_entity_copy({ type: event.entity.type })}
                />,
              ],
            ]}
          />
          <div>
            <Button onClick={() => onEntity(event.entity.id)}>{m.events_same_entity()}</Button>
          </div>
          <CopyBox label="JSON" action={m.events_json_copy()} text={JSON.stringify(event, null, 2)} />
        </>
      ) : error ? (
        <Bad>{isTooOld(error) ? m.events_too_old() : wordsOf(error)}</Bad>
      ) : (
        <Skeleton width="full" />
      )}
    </Drawer>
  );
}
