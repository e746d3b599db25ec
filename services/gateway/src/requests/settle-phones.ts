import { findKnownPhones, type ValidationFault } from '@mostrador/contracts';
import { type AmbiguousPhone, ambiguousPhoneDetail } from '@mostrador/kit/phones/read-phone';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import { meaningsOf, type OpenPhones, settledPhone } from './written-phones.ts';

type Place = keyof UncheckedRequest;

/**
 * Gives each phone of `open` the meaning that the store knows, in place. `crm` is asked only about these phones. A phone
 * of `PATCH /leads/{leadId}` is that of the lead itself if it can be.
 *
 * @throws AppError `validation_failed` when both numbers exist, and the store knows none or both
 */
export async function settlePhones(
  rpc: RpcClient,
  parts: UncheckedRequest,
  open: Readonly<Record<Place, OpenPhones>>,
  context: CallContext,
): Promise<void> {
  const faults: ValidationFault[] = [];
  const { leadId, sellerId } = (parts.params ?? {}) as Record<string, string | undefined>;
  for (const place of ['params', 'query', 'body'] as const) {
    for (const [name, reading] of Object.entries(open[place])) {
      const of = name === 'whatsapp_id' ? 'sellers' : 'leads';
      const own_id = of === 'sellers' ? sellerId : leadId;
      const { known } = await rpc.call(findKnownPhones, { body: { of, phones: meaningsOf(reading), own_id } }, context);
      const phone = settledPhone(reading, known);
      if (phone !== undefined) parts[place] = { ...(parts[place] as object), [name]: phone };
      else if (reading.kind === 'ambiguous') faults.push(ambiguous(place, name, reading));
    }
  }
  if (faults.length > 0) throw validationFailed(faults);
}

function ambiguous(place: Place, name: string, reading: AmbiguousPhone): ValidationFault {
  const detail = ambiguousPhoneDetail(reading, place === 'query');
  if (place === 'body') return { pointer: `#/${name}`, detail };
  return { in: place === 'query' ? 'query' : 'path', name, detail };
}
