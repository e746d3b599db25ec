import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { localDirectory as localDirectoryOf, root } from '@mostrador/local-platform/paths';
import { startLocalPlatform } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { Command } from 'commander';
import { screensOf, screensOfLead } from './screens.ts';
import type { DemoStore } from './store/api.ts';
import { fillStore } from './store/fill.ts';
import { kindsCustomer } from './store/kinds.ts';
import { takeScreenshots } from './take.ts';

type Dev = { base_url: string; console_url: string; sandbox_url: string; stores: DemoStore[] };
type Options = { readonly running?: boolean; readonly locale: string; readonly to: string };

/** The person whom the demo signs in. */
const demoOwner = 'aurora@example.com';
const greatestMegabytes = 3;

async function main({ running, locale, to }: Options): Promise<void> {
  const platform = running ? undefined : await startDemo();
  try {
    const folder = platform?.folder ?? localDirectoryOf(process.env);
    const dev: Dev = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    const leads = platform ? await fillStore(platform, dev.stores[0] as DemoStore) : { main: await leadToShow(dev) };
    const navigation = readFileSync(join(root, 'apps/console/src/shell/navigation.ts'), 'utf8');
    const screens = screensOf(navigation);
    mkdirSync(to, { recursive: true });
    const bytes = await takeScreenshots({
      consoleUrl: dev.console_url,
      loginLink: () => loginLink(folder),
      screens: [...screens, ...screensOfLead(screens, leads)],
      // The demo has no customer of this name before it is filled.
      ...(platform && { telephone: { url: dev.sandbox_url, customer: kindsCustomer.name } }),
      directory: to,
      locale,
      say: (text) => console.log(text),
    });
    const megabytes = bytes / 1024 ** 2;
    console.log(`${megabytes.toFixed(2)} MiB in ${to}`);
    if (megabytes > greatestMegabytes) throw new Error(`the pictures have more than ${greatestMegabytes} MiB`);
  } finally {
    await platform?.stop();
    if (platform) rmSync(platform.folder, { recursive: true, force: true });
  }
}

/** A platform of its own, so that the pictures do not show what a developer tried out. */
async function startDemo() {
  const runs = runFolders(join(localDirectoryOf(process.env), 'screenshots'));
  await runs.removeDead();
  console.log('Starting a platform, and filling its demo store with a month of work.');
  // The receiver of webhooks is on this machine.
  return await startLocalPlatform({ root, folder: runs.create(), environment: { WEBHOOK_ALLOW_HOSTS: '127.0.0.1' } });
}

async function loginLink(localDirectory: string): Promise<string> {
  const command = [join(root, 'apps/admin/src/main.ts'), 'user', 'login-link', '--email', demoOwner, '--json'];
  const env = { ...process.env, LOCAL_DIR: localDirectory, NATS_URL: '' };
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env });
  return JSON.parse(stdout).login_url;
}

/** The lead with the most messages: the one whose thread shows most. */
async function leadToShow({ base_url, stores }: Dev): Promise<string> {
  const headers = { 'x-api-key': stores[0]?.api_key ?? '' };
  const answer = await fetch(`${base_url}/leads?limit=100&sort=-updated_at`, { headers });
  const { data } = (await answer.json()) as { data: { id: string; interaction_count: number }[] };
  const [lead] = data.toSorted((a, b) => b.interaction_count - a.interaction_count || (a.id < b.id ? -1 : 1));
  if (!lead) throw new Error('the demo store has no lead');
  return lead.id;
}

await new Command('screenshots')
  .description(
    'Takes every screen of the console in light, in dark and on a phone, with a month of work in the demo store, and the\n' +
      'telephone of the sandbox. The screens come from the navigation of the console.',
  )
  .option('--running', 'use the platform that npm start runs, with what is in it')
  .option('--locale <locale>', 'the language of the pictures: en-US, es-419 or pt-BR', 'en-US')
  .option('--to <directory>', 'where the pictures go', join(root, 'docs/console'))
  .action(main)
  .parseAsync();
