import type { Service } from '../calendar/booking.ts';
import type { components } from '../generated/platform.ts';

/** A form of a service. What is typed as a number stays a text until it is sent. */
export type ServiceDraft = {
  readonly name: string;
  readonly minutes: string;
  readonly price: string;
  /** Empty: that of the rules. */
  readonly bufferBefore: string;
  readonly bufferAfter: string;
  readonly sellerIds: readonly string[];
  readonly isActive: boolean;
};

export const emptyService: ServiceDraft = {
  ...{ name: '', minutes: '60', price: '', bufferBefore: '', bufferAfter: '', sellerIds: [], isActive: true },
};

const written = (minutes: number | null): string => (minutes === null ? '' : String(minutes));
const read = (minutes: string): number | null => (minutes === '' ? null : Number(minutes));

export const draftOfService = (service: Service): ServiceDraft => ({
  name: service.name,
  minutes: String(service.duration_minutes),
  price: service.price_text ?? '',
  bufferBefore: written(service.buffer_before_minutes),
  bufferAfter: written(service.buffer_after_minutes),
  sellerIds: service.seller_ids,
  isActive: service.is_active,
});

type Body = Required<components['schemas']['CreateServiceRequest']>;

export const bodyOfService = (draft: ServiceDraft): Body => ({
  name: draft.name.trim(),
  duration_minutes: Number(draft.minutes),
  price_text: draft.price.trim() || null,
  buffer_before_minutes: read(draft.bufferBefore),
  buffer_after_minutes: read(draft.bufferAfter),
  seller_ids: [...draft.sellerIds],
  is_active: draft.isActive,
});

/** Only what was changed, so that it does not undo what another person changes meanwhile. */
export function changesOfDraft(first: ServiceDraft, draft: ServiceDraft): Partial<Body> {
  const before = bodyOfService(first);
  const changed = Object.entries(bodyOfService(draft)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof Body]),
  );
  return Object.fromEntries(changed);
}

export type ServiceFault = 'name' | 'minutes';

export const faultsOfService = ({ name, minutes }: ServiceDraft): ServiceFault[] => [
  ...(name.trim() === '' ? (['name'] as const) : []),
  ...(/^\d{1,4}$/.test(minutes.trim()) && Number(minutes) >= 1 && Number(minutes) <= 1440
    ? []
    : (['minutes'] as const)),
];
