import { expect, test } from 'vitest';
import { admin, eventually, fileOf, type Json, request } from '../platform.ts';
import { inBrowser, invitePerson, newPage, newPerson, open, tabTo, title, tooNarrow, violations } from './browser.ts';
import { connectSandbox } from './conversations.ts';

const newLead = async (key: string, name: string) => {
  const customer_phone = `55119${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  return (await request('POST', '/leads', { key, body: { customer_phone, name, status: 'lost' } })).body;
};
const hostile = `<img src=x onerror="document.title='taken'">${'w'.repeat(120)}`;

inBrowser(() => {
  test('a manager makes an agent with conditions, learns whom it answers, and changes it, by keyboard alone', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    await newLead(store.key, 'Bia Prado');
    await open(page, loginUrl, '/agents');
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
    await tabTo(page, 'button', 'Create agent');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.press('Enter');
    await dialog.getByText('Give the agent a name.').waitFor();
    await page.keyboard.type('Win back');
    for (const effect of ['Book an appointment', 'Change the customer’s name or status']) {
      await tabTo(page, 'checkbox', effect);
      await page.keyboard.press('Space');
    }
    await dialog
      .getByText('Changes something: move an appointment, cancel an appointment, plan a follow-up.')
      .waitFor();
    await tabTo(page, 'combobox', 'Condition 1');
    await page.keyboard.type('Lost');
    await tabTo(page, 'checkbox', /^Active/);
    await page.keyboard.press('Enter');
    await page.getByText('“Win back” is created').waitFor();
    const { data } = (await request('GET', '/agents', { key: store.key })).body;
    expect(data).toMatchObject([
      {
        ...{ name: 'Win back', tools: ['find_times', 'move', 'cancel', 'schedule_followup'] },
        condition_groups: [{ conditions: [{ value: 'lost' }] }],
      },
    ]);
    await admin(['store', 'update', '--store', store.id, '--ai-confirm', 'book,cancel']);

    await tabTo(page, 'button', /^Bia Prado/);
    await page.keyboard.press('Enter');
    await page.getByText('it is the first agent whose conditions hold').waitFor();

    await page.reload();
    await tabTo(page, 'link', 'Win back');
    await page.keyboard.press('Enter');
    await dialog.getByText('A person confirms: cancel an appointment.').waitFor();
    await dialog.getByRole('link', { name: 'Settings of the AI' }).waitFor();
    await tabTo(page, 'button', 'Edit');
    await page.keyboard.press('Enter');
    await tabTo(page, 'checkbox', /^Active/);
    await page.keyboard.press('Space');
    await tabTo(page, 'button', 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('“Win back” is saved').waitFor();
    expect((await request('GET', `/agents/${data[0].id}`, { key: store.key })).body.is_active).toBe(false);
  });

  test('a second default agent is refused in words, nothing typed is lost, and a condition has hours of its own', async () => {
    const { page, loginUrl, store } = await newPerson();
    const file = fileOf('agent.json', { name: 'General', priority: 1, is_default: true });
    await admin(['agent', 'create', '--store', store.id, file]);
    await open(page, loginUrl, '/agents');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Second');
    await page.getByRole('checkbox', { name: /^Default agent/ }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('alert').getByText('already has a default agent').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Second');

    await page.getByRole('checkbox', { name: /^Default agent/ }).uncheck();
    await page.getByLabel('Condition 1: what').selectOption('business_hours');
    await page.getByLabel('By the opening hours of the booking rules').uncheck();
    for (const day of ['Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
      await page.getByRole('group', { name: 'Opening hours 1' }).getByLabel(day).uncheck();
    }
    await page.getByRole('dialog').getByRole('button', { name: 'Create agent' }).click();
    await page.getByText('“Second” is created').waitFor();
    const { data } = (await request('GET', '/agents', { key: store.key })).body;
    const hours = [{ weekday: 1, from: '09:00', to: '18:00' }];
    expect(data).toContainEqual(
      expect.objectContaining({
        condition_groups: [expect.objectContaining({ conditions: [expect.objectContaining({ hours })] })],
      }),
    );
  });

  test('a manager tries a changed agent on a conversation before it is saved, by keyboard, and nothing is sent', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    const sandbox = await connectSandbox(store);
    const body = { name: 'Bia', priority: 1, is_default: true, language: 'pt-BR' };
    const agent = (await request('POST', '/agents', { key: store.key, body })).body;
    await open(page, loginUrl, `/agents?agent=${agent.id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByText('No conversations yet').waitFor();

    const unanswered = await sandbox.newCustomer(`Max ${'w'.repeat(150)}`, 'Oi');
    await page.reload();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: /^Max/ }).click();
    await dialog.getByRole('alert').getByText('An owner connects one').waitFor();
    await admin(['ai', 'connect', '--store', store.id, '--provider', 'demo']);
    await admin(['store', 'update', '--store', store.id, '--ai', 'on', '--ai-quiet-seconds', '0']);
    await dialog.getByRole('button', { name: 'Ask again' }).click();
    await dialog.getByText('The AI has answered nothing in this conversation').waitFor();
    expect(await sandbox.messages(unanswered.id)).toHaveLength(1);

    const lead = await sandbox.newCustomer('Lia Prado', hostile);
    await eventually(
      () => sandbox.messages(lead.id),
      (all: Json[]) => all.at(-1)?.source === 'ai' && all.at(-1)?.sent_at !== null,
    );
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('');
    await tabTo(page, 'button', 'Choose another conversation');
    await page.keyboard.press('Enter');
    await page.keyboard.type('lia');
    await tabTo(page, 'button', /^Lia Prado/);
    await page.keyboard.press('Enter');
    // The agent needs a name first.
    await dialog.getByText('Give the agent a name.').waitFor();
    await page.keyboard.type('Clara');
    await tabTo(page, 'button', /^Lia Prado/);
    await page.keyboard.press('Enter');
    await dialog.getByText('Different: 1 of 1. Nothing was sent.').waitFor();
    const side = (title: string) => dialog.getByRole('region', { name: title });
    expect(await side('What was answered').getByRole('deletion').allTextContents()).toEqual(['Bia']);
    expect(await side('What this agent would answer').getByRole('insertion').allTextContents()).toEqual(['Clara']);
    expect(await page.title()).toBe('AI agents · Mostrador');
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);

    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type('Bia');
    await dialog.getByText('The form has changed').waitFor();
    await tabTo(page, 'button', 'Ask again');
    await page.keyboard.press('Enter');
    await dialog.getByText('Different: 0 of 1. Nothing was sent.').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ask again');

    // The same on all conversations that are listed, one after the other.
    await tabTo(page, 'button', 'Choose another conversation');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Try on all that are listed (2)' }).press('Enter');
    await dialog.getByText('Different: 0 of 1. Nothing was sent.').waitFor();
    await dialog.getByText('Handed to a person: 1 before, 1 now.').waitFor();
    await dialog.getByText('Nothing that can be tried.').waitFor();
    await dialog.getByText('Lia Prado').click();
    await side('What this agent would answer').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    expect(await sandbox.messages(lead.id)).toHaveLength(2);
    expect((await request('GET', `/agents/${agent.id}`, { key: store.key })).body).toEqual(agent);
  });

  test('a manager keeps an answer as an eval, adds one, and runs both on a changed agent before it is saved', async () => {
    const { page, loginUrl, store } = await newPerson('manager');
    const sandbox = await connectSandbox(store);
    const body = { name: 'Bia', priority: 1, is_default: true, language: 'pt-BR' };
    const agent = (await request('POST', '/agents', { key: store.key, body })).body;
    await admin(['ai', 'connect', '--store', store.id, '--provider', 'demo']);
    await admin(['store', 'update', '--store', store.id, '--ai', 'on', '--ai-quiet-seconds', '0']);
    const lead = await sandbox.newCustomer('Lia Prado', 'quero falar com uma pessoa');
    await eventually(
      () => sandbox.messages(lead.id),
      (all: Json[]) => all.at(-1)?.source === 'ai' && all.at(-1)?.sent_at !== null,
    );
    await open(page, loginUrl, `/agents?agent=${agent.id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No evals yet').waitFor();
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: /^Lia Prado/ }).click();
    await dialog.getByRole('button', { name: 'Keep as an eval' }).click();
    await page.getByText('The eval is created').waitFor();

    // By keyboard: the words are missing first.
    await tabTo(page, 'button', 'Add an eval');
    await page.keyboard.press('Enter');
    await page.keyboard.type(`oi ${hostile}`);
    await tabTo(page, 'button', 'Save the eval');
    await page.keyboard.press('Enter');
    await dialog.getByText('Write what is expected.').waitFor();
    await tabTo(page, 'textbox', 'Words');
    await page.keyboard.type('aqui é Clara');
    await tabTo(page, 'button', 'Save the eval');
    await page.keyboard.press('Enter');
    await dialog.getByText('The evals were not run yet.').first().waitFor();

    await tabTo(page, 'button', 'Run the evals (2)');
    await page.keyboard.press('Enter');
    await dialog.getByText('Evals that hold: 1 of 2').first().waitFor();
    await dialog.getByText('Version 1 ·').first().waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Clara');
    await dialog.getByText('Of another agent').first().waitFor();
    await dialog.getByRole('button', { name: 'Run the evals (2)' }).click();
    await dialog.getByText('Evals that hold: 2 of 2').first().waitFor();
    await dialog.getByText('Version 1 with changes').first().waitFor();
    expect(await dialog.getByText('Of another agent').count()).toBe(0);
    await dialog.getByRole('list', { name: 'Evals' }).getByText('quero falar com uma pessoa').click();
    await dialog.getByText('calls a person – Holds').waitFor();
    expect(await page.title()).toBe('AI agents · Mostrador');
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    expect(await sandbox.messages(lead.id)).toHaveLength(2);

    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“Clara” is saved').waitFor();
    // The run is of the agent that is saved now.
    await dialog.getByText('Evals that hold: 2 of 2').waitFor();
    expect(await dialog.getByText('Of another agent').count()).toBe(0);
    await dialog.getByRole('button', { name: /^Delete the eval: oi/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the eval' }).click();
    await dialog.getByText('Evals that hold: 1 of 1').waitFor();
    const { data, run } = (await request('GET', `/agents/${agent.id}/evals`, { key: store.key })).body;
    expect(data).toMatchObject([{ text: 'quero falar com uma pessoa', expects: [{ type: 'hands_over' }] }]);
    expect(run).toMatchObject({ held: 1, failed: 0, waiting: 0, is_draft: true, agent: { name: 'Clara' } });
  });

  test('a seller sees the agents, and nothing that changes them', async () => {
    const { store } = await newPerson();
    const { loginUrl } = await invitePerson(store, 'seller');
    const page = await newPage();
    await open(page, loginUrl, '/agents');
    await page.getByRole('heading', { name: 'No agents yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create agent' }).count()).toBe(0);
  });

  test('the screen keeps the rules of axe and shows hostile text as text', async () => {
    const { page, loginUrl, store } = await newPerson();
    const lead = await newLead(store.key, hostile);
    const file = fileOf('agent.json', {
      name: hostile,
      priority: 1,
      condition_groups: [
        { group_index: 0, conditions: [{ condition_type: 'lead_status', operator: '=', value: 'lost' }] },
      ],
    });
    const agent = await admin(['agent', 'create', '--store', store.id, file]);
    await open(page, loginUrl, `/agents?lead=${lead.id}`);
    await title(page, 'AI agents').waitFor();
    await page.getByText('it is the first agent whose conditions hold').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooNarrow(page)).toEqual([]);
    await page.goto(`${new URL(page.url()).origin}/console/agents?agent=${agent.id}`);
    await page.getByRole('dialog').waitFor();
    expect(await page.title()).toBe('AI agents · Mostrador');
    expect(await violations(page)).toEqual([]);
  });
});
