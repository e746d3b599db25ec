import type { Service } from '@mostrador/contracts';
import { idFrom } from '../check.ts';
import { record, shown } from '../terminal.ts';

/** The option of every command that names a service. */
export const serviceOption = ['--service <id>', 'the service; `service list` shows the ids (required)'] as const;

/** Returns the id of `--service`. Throws UsageError when it is missing or no UUID. */
export const serviceFrom = (typed: string | undefined): string =>
  idFrom(typed, { option: '--service', of: 'a service; `service list` shows the ids' });

export const minutesText = (minutes: number | null): string =>
  minutes === null ? 'those of the rules' : `${minutes} minutes`;

export const sellersText = ({ seller_ids }: Service): string => seller_ids.join(', ') || 'a place of the store';

/** A service as a person reads it. */
export const serviceRecord = (service: Service): string =>
  record({
    id: service.id,
    name: shown(service.name),
    duration: `${service.duration_minutes} minutes`,
    'buffer before': minutesText(service.buffer_before_minutes),
    'buffer after': minutesText(service.buffer_after_minutes),
    'given by': sellersText(service),
    price: service.price_text === null ? null : shown(service.price_text),
    active: service.is_active ? 'yes' : 'no',
  });
