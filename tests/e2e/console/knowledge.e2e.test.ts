import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { admin, request } from '../platform.ts';
import {
  inBrowser,
  inDialog,
  newPerson,
  open,
  type TestStore,
  tabTo,
  title,
  tooNarrow,
  violations,
} from './browser.ts';

const hostile = '<img src=x onerror="document.title=1">';

async function addDocuments({ id }: TestStore): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mostrador-documents-'));
  const hours = join(folder, 'hours.txt');
  writeFileSync(hours, `Opening hours\n\nOn Saturday the store opens at nine. ${hostile}`);
  const parking = join(folder, 'parking.txt');
  writeFileSync(parking, `Parking\n\nThere is a garage behind the store.\n${'x'.repeat(500)}`);
  for (const file of [hours, parking]) await admin(['document', 'import', '--store', id, file]);
  rmSync(folder, { recursive: true });
}

inBrowser(() => {
  test('a person asks as a customer would, and reads the document behind the answer, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson('seller');
    await addDocuments(store);
    await open(page, loginUrl, '/knowledge');
    await title(page, 'Knowledge').waitFor();
    await page.getByRole('link', { name: 'hours' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add document' }).count()).toBe(0);
    await tabTo(page, 'searchbox', 'Ask as a customer would');
    await page.keyboard.type('When do you open on Saturday?');
    await page.keyboard.press('Enter');
    const passages = page.getByRole('region', { name: 'What the assistant finds, best first' });
    await passages.getByText('the store opens at nine').waitFor();
    await passages.getByText(hostile).waitFor();
    expect(await passages.locator('mark').allTextContents()).toContain('Saturday');
    expect(page.url()).toContain('q=When');
    await passages.getByRole('link', { name: 'hours' }).focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText(hostile).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.reload();
    await passages.getByText('the store opens at nine').waitFor();
  });

  test('a manager adds a document that the assistant finds at once, corrects it, and takes it out of use', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    await open(page, loginUrl, '/knowledge');
    await page.getByRole('button', { name: 'Add document' }).click();
    await inDialog(page);
    await page.keyboard.press('Enter');
    await page.getByText('Give it a title.').waitFor();
    await page.keyboard.type('Parking');
    await page.getByRole('textbox', { name: 'Text' }).fill('The garage costs 5 an hour.\n\nIt is behind the store.');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Add document' }).click();
    const found = async (q: string) => {
      const { body } = await request('GET', `/knowledge/search?q=${q}`, { key: store.key });
      return body.data.map(({ text }: { text: string }) => text).join();
    };
    const row = page.getByRole('link', { name: 'Parking' });
    await row.waitFor();
    expect(await found('garage')).toContain('costs 5 an hour');

    const edit = async () => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await inDialog(page);
    };
    const text = page.getByRole('textbox', { name: 'Text' });
    const form = page.getByRole('alertdialog');
    const save = (action = 'Save') => form.getByRole('button', { name: action, exact: true }).click();
    await row.click();
    await edit();
    // Another person is faster.
    const { body: documents } = await request('GET', '/knowledge/documents', { key: store.key });
    const { name, title: named } = documents.data[0];
    const theirs = { name, title: named, content: 'The garage is closed.' };
    await request('POST', '/knowledge/documents', { key: store.key, body: theirs });
    await text.fill('The garage costs 6 an hour.');
    await save();
    await page.getByText('Someone else changed the same meanwhile.').waitFor();
    expect(await found('garage')).toContain('closed');
    await save('Save mine');
    await form.waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByText('costs 6 an hour').waitFor();
    expect(await found('garage')).toContain('costs 6 an hour');

    await edit();
    await page.getByRole('checkbox', { name: 'The assistant answers from it' }).uncheck();
    await save();
    await page.getByRole('dialog').getByText('Not used').waitFor();
    expect(await found('garage')).toBe('');
    const { body: after } = await request('GET', '/knowledge/documents', { key: store.key });
    expect(after).toMatchObject({ total: 1, data: [{ title: 'Parking', is_active: false }] });
  });

  test('what the assistant does not find, and a store without documents, say what to do', async () => {
    const { page, loginUrl } = await newPerson();
    await open(page, loginUrl, '/knowledge?q=parking');
    await page.getByRole('heading', { name: 'The assistant finds nothing' }).waitFor();
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  });

  test('axe finds nothing, and nothing is cut off on a telephone', async () => {
    const { page, loginUrl, store } = await newPerson('owner', { reducedMotion: 'reduce' });
    await addDocuments(store);
    await open(page, loginUrl, '/knowledge?q=garage');
    await page.getByRole('listitem').getByText('garage').first().waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByRole('dialog').getByText('Active').waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
