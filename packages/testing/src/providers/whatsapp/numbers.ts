import type { Refusal } from './rules.ts';

/** What Meta says of a number. A fault of the account makes `canSend` BLOCKED. */
export type StandInNumber = {
  readonly status: string;
  readonly quality_rating: string;
  readonly verified_name: string;
  readonly name_status: string;
  /** Null: Meta leaves it out. */
  readonly limit: string | null;
  readonly canSend: 'AVAILABLE' | 'LIMITED' | 'BLOCKED';
};

export const soundNumber: StandInNumber = {
  ...{ status: 'CONNECTED', quality_rating: 'GREEN', limit: 'TIER_250', canSend: 'AVAILABLE' },
  ...{ verified_name: 'Loja da Ana', name_status: 'APPROVED' },
};

const fields: ReadonlySet<string> = new Set([
  ...['id', 'display_phone_number', 'verified_name', 'name_status', 'status', 'quality_rating', 'quality_score'],
  ...['code_verification_status', 'platform_type', 'throughput', 'account_mode', 'is_official_business_account'],
  ...['health_status', 'messaging_limit_tier', 'whatsapp_business_manager_messaging_limit'],
]);

/**
 * What `GET /{version}/{phone-number-id}?fields=…` answers. Before version 24 the limit has the name
 * `messaging_limit_tier`, and asking for the later name is an error. From then on the earlier name has no value.
 */
export function numberAnswer(
  number: StandInNumber,
  url: URL,
  { account, isBlocked }: { readonly account: string; readonly isBlocked: boolean },
): Record<string, unknown> | { readonly refusal: Refusal } {
  const [version = '', id = ''] = url.pathname.split('/').slice(-2);
  const isNew = Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= 24;
  const asked = (url.searchParams.get('fields') ?? 'verified_name,quality_rating').split(',');
  const unknown = asked.some(
    (field) => !fields.has(field) || (!isNew && field === 'whatsapp_business_manager_messaging_limit'),
  );
  if (unknown) return { refusal: { code: 100 } };
  const { limit, canSend, ...plain } = number;
  const can_send_message = isBlocked ? 'BLOCKED' : canSend;
  const errors = isBlocked && [{ error_code: 141006, error_description: 'Blocked', possible_solution: 'Repair it' }];
  const shown: Record<string, unknown> = {
    ...plain,
    [isNew ? 'whatsapp_business_manager_messaging_limit' : 'messaging_limit_tier']: limit ?? undefined,
    health_status: {
      can_send_message,
      entities: [
        { entity_type: 'PHONE_NUMBER', id, can_send_message: canSend },
        { entity_type: 'WABA', id: account, can_send_message, ...(errors && { errors }) },
      ],
    },
  };
  return { ...Object.fromEntries(asked.map((field) => [field, shown[field]])), id };
}
