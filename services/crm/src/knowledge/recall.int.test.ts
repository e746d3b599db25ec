import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCrm, type TestCrm } from '../../test/crm.ts';
import { openGoldShops, recallFloor } from '../../test/gold/gold.ts';

let crm: TestCrm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm?.stop());

test('full text finds the document of at least as many questions of customers as it did', async () => {
  const { missed, ...recall } = await (await openGoldShops(crm)).measureRecall();
  expect(recall.same_language, missed.join('\n')).toBeGreaterThanOrEqual(recallFloor.full_text.same_language);
  expect(recall.across, missed.join('\n')).toBeGreaterThanOrEqual(recallFloor.full_text.across);
});
