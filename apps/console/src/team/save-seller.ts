import { dataOf, platform, type Seller, versionedOf } from '../api/platform.ts';
import { saveChange } from '../api/save-change.ts';

type Change = Partial<Pick<Seller, 'name' | 'whatsapp_id' | 'bookable' | 'hours'>>;

/**
 * Saves what a person changed of a seller whom they saw like this.
 *
 * @throws ChangedMeanwhile
 */
export function saveSeller(seen: Seller, change: Change): Promise<Seller> {
  const params = { path: { sellerId: seen.id } };
  return saveChange({
    ...{ seen, change },
    read: () => versionedOf(platform.GET('/sellers/{sellerId}', { params })),
    write: (body, etag) =>
      dataOf(platform.PATCH('/sellers/{sellerId}', { params, headers: { 'if-match': etag }, body })),
  });
}
