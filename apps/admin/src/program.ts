import { build, buildText } from '@mostrador/kit/process/build';
import { Command } from 'commander';
import { type Admin, exampleText, programName } from './admin.ts';
import { createAgentCommand } from './agents/create-agent.ts';
import { updateAgentCommand } from './agents/update-agent.ts';
import { connectModelCommand } from './ai/connect-model.ts';
import { disconnectModelCommand } from './ai/disconnect-model.ts';
import { showModelCommand } from './ai/show-model.ts';
import { createBackupRoleCommand } from './backup/create-backup-role.ts';
import { setRulesCommand } from './booking/set-rules.ts';
import { showRulesCommand } from './booking/show-rules.ts';
import { connectCalendarCommand } from './calendars/connect-calendar.ts';
import { disconnectCalendarCommand } from './calendars/disconnect-calendar.ts';
import { showCalendarCommand } from './calendars/show-calendar.ts';
import { connectChannelCommand } from './channels/connect-channel.ts';
import { disconnectChannelCommand } from './channels/disconnect-channel.ts';
import { showChannelCommand } from './channels/show-channel.ts';
import { checkPlatformCommand } from './deployment/check-platform.ts';
import { createRolesCommand } from './deployment/create-roles.ts';
import { generateSecretsCommand } from './deployment/generate-secrets.ts';
import { migrateCommand } from './deployment/migrate-schemas.ts';
import { prepareTemporalCommand } from './deployment/prepare-temporal.ts';
import { printEnvironmentCommand } from './deployment/print-environment.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { importDocumentsCommand } from './documents/import-documents.ts';
import { connectEmbedderCommand } from './embedder/connect-embedder.ts';
import { disconnectEmbedderCommand } from './embedder/disconnect-embedder.ts';
import { showEmbedderCommand } from './embedder/show-embedder.ts';
import { resealSecretsCommand } from './encryption/reseal-secrets.ts';
import { tailEventsCommand } from './events/tail-events.ts';
import { createKeyCommand } from './keys/create-key.ts';
import { listKeysCommand } from './keys/list-keys.ts';
import { revokeKeyCommand } from './keys/revoke-key.ts';
import { rotateKeyCommand } from './keys/rotate-key.ts';
import { importLeadsCommand } from './leads/import-leads.ts';
import { listDuplicatesCommand } from './leads/list-duplicates.ts';
import { mergeLeadsCommand } from './leads/merge-leads.ts';
import { rebuildListTotalsCommand } from './list-totals/rebuild-list-totals.ts';
import { verifyListTotalsCommand } from './list-totals/verify-list-totals.ts';
import { settleMessageCommand } from './messages/settle-message.ts';
import { rebuildReportsCommand } from './reports/rebuild-reports.ts';
import { verifyReportsCommand } from './reports/verify-reports.ts';
import { fenceRestoreCommand } from './restore/fence-restore.ts';
import { releaseFollowupsCommand } from './restore/release-followups.ts';
import { listSellersCommand } from './sellers/list-sellers.ts';
import { updateSellerCommand } from './sellers/update-seller.ts';
import { createServiceCommand } from './services/create-service.ts';
import { deleteServiceCommand } from './services/delete-service.ts';
import { listServicesCommand } from './services/list-services.ts';
import { showServiceCommand } from './services/show-service.ts';
import { updateServiceCommand } from './services/update-service.ts';
import { createStoreCommand } from './stores/create-store.ts';
import { listStoresCommand } from './stores/list-stores.ts';
import { updateStoreCommand } from './stores/update-store.ts';
import { createLoginLinkCommand } from './users/create-login-link.ts';
import { disableUserCommand } from './users/disable-user.ts';
import { enableUserCommand } from './users/enable-user.ts';
import { inviteUserCommand } from './users/invite-user.ts';
import { listUsersCommand } from './users/list-users.ts';
import { removeUserCommand } from './users/remove-user.ts';
import { unlinkUserCommand } from './users/unlink-user.ts';
import { giveUpWaitingCommand, retryWaitingCommand } from './waiting/change-waiting.ts';
import { listWaitingCommand } from './waiting/list-waiting.ts';
import { createWebhookCommand } from './webhooks/create-webhook.ts';
import { listWebhooksCommand } from './webhooks/list-webhooks.ts';
import { replayWebhookCommand } from './webhooks/replay-webhook.ts';
import { rotateWebhookCommand } from './webhooks/rotate-webhook.ts';
import { showWebhookCommand } from './webhooks/show-webhook.ts';

/** The whole command: nouns and their verbs, with help at each level. */
export function createProgram(admin: Admin): Command {
  const program = new Command(programName)
    .usage('<noun> <verb> [options]')
    .version(buildText(build()), '--version', 'print the version and the revision')
    .description(
      'Deploys and operates Mostrador, and manages what has no screen yet: stores, API keys, calendars, channels, agents, imports, reports, deployments.',
    )
    .addHelpText(
      'after',
      `
${exampleText(['store list', 'key create --help', 'calendar show --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'])}

The command connects to the platform that \`npm start\` runs from this clone (address in .local/dev.json), or to the
NATS server of NATS_URL or NATS_URL_FILE. It takes no secrets as arguments: \`--secrets-stdin\` reads them from
standard input. In scripts, \`--json\` prints only JSON; with npm, \`npm run --silent admin -- … --json\`.

Exit codes: 0 done, 1 rejected or failed, 2 wrong usage, 3 the platform is not running.`,
    );
  const noun = (name: string, description: string, examples: readonly string[], verbs: readonly Command[]) => {
    const command = program.command(name).usage('<verb> [options]').description(description);
    command.addHelpText('after', `\n${exampleText(examples)}`);
    for (const verb of verbs) command.addCommand(verb);
  };
  noun(
    'store',
    'Create, change and list stores',
    ['store create --name "Ótica Central" --tier pro', 'store list'],
    [createStoreCommand(admin), updateStoreCommand(admin), listStoresCommand(admin)],
  );
  noun(
    'key',
    'Create, list, rotate and revoke API keys',
    ['key create --help', 'key revoke --key 7Gq2mXw9Tz4b'],
    [createKeyCommand(admin), listKeysCommand(admin), rotateKeyCommand(admin), revokeKeyCommand(admin)],
  );
  noun(
    'user',
    'Invite people to a store, make their login links, list, disable, unlink and remove them',
    ['user invite --help', 'user login-link --email ana@example.com'],
    [
      inviteUserCommand(admin),
      createLoginLinkCommand(admin),
      listUsersCommand(admin),
      disableUserCommand(admin),
      enableUserCommand(admin),
      unlinkUserCommand(admin),
      removeUserCommand(admin),
    ],
  );
  noun(
    'calendar',
    "Connect, disconnect and show a store's calendar",
    ['calendar connect --help'],
    [connectCalendarCommand(admin), disconnectCalendarCommand(admin), showCalendarCommand(admin)],
  );
  noun(
    'booking',
    "Set and show a store's booking rules",
    ['booking set --help'],
    [setRulesCommand(admin), showRulesCommand(admin)],
  );
  noun(
    'service',
    'Create, list, show, change and delete the services that customers book',
    ['service create --help', 'service list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'],
    [
      createServiceCommand(admin),
      listServicesCommand(admin),
      showServiceCommand(admin),
      updateServiceCommand(admin),
      deleteServiceCommand(admin),
    ],
  );
  noun(
    'seller',
    'List sellers, and say whether and when customers can book them',
    ['seller list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60', 'seller update --help'],
    [listSellersCommand(admin), updateSellerCommand(admin)],
  );
  noun(
    'channel',
    "Connect, disconnect and show a store's messaging channel",
    ['channel connect --help'],
    [connectChannelCommand(admin), disconnectChannelCommand(admin), showChannelCommand(admin)],
  );
  noun('message', 'Settle messages whose outcome is unknown', ['message settle --help'], [settleMessageCommand(admin)]);
  noun(
    'lead',
    'Import leads from a file, find duplicates and merge them',
    ['lead import --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 leads.csv', 'lead duplicates --help'],
    [importLeadsCommand(admin), listDuplicatesCommand(admin), mergeLeadsCommand(admin)],
  );
  noun(
    'ai',
    'Connect, disconnect and show the model that answers for a store',
    ['ai connect --help'],
    [connectModelCommand(admin), disconnectModelCommand(admin), showModelCommand(admin)],
  );
  noun(
    'embedder',
    'Connect, disconnect and show the server that turns the knowledge documents of a store into vectors',
    ['embedder connect --help'],
    [connectEmbedderCommand(admin), disconnectEmbedderCommand(admin), showEmbedderCommand(admin)],
  );
  noun(
    'agent',
    'Create and change AI agents',
    ['agent create --help', 'agent create --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 sales.json'],
    [createAgentCommand(admin), updateAgentCommand(admin)],
  );
  noun(
    'document',
    "Fill the store's knowledge base",
    ['document import --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 prices.pdf opening-hours.md'],
    [importDocumentsCommand(admin)],
  );
  noun(
    'event',
    "Read a store's event feed",
    ['event tail --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --follow'],
    [tailEventsCommand(admin)],
  );
  noun(
    'webhook',
    "Create and show a store's webhook endpoints, replace their secrets, send events again",
    ['webhook create --help', 'webhook list --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'],
    [
      createWebhookCommand(admin),
      listWebhooksCommand(admin),
      showWebhookCommand(admin),
      rotateWebhookCommand(admin),
      replayWebhookCommand(admin),
    ],
  );
  noun(
    'report',
    'Verify and rebuild the rollups of the reports',
    ['report verify', 'report rebuild --service messaging'],
    [verifyReportsCommand(admin), rebuildReportsCommand(admin)],
  );
  noun(
    'list-total',
    'Verify and rebuild the totals of lists',
    ['list-total verify', 'list-total rebuild --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60'],
    [verifyListTotalsCommand(admin), rebuildListTotalsCommand(admin)],
  );
  noun(
    'restore',
    'Bring the platform back after its database was restored',
    ['restore fence --since 2027-01-31T09:00:00Z --dry-run'],
    [fenceRestoreCommand(admin), releaseFollowupsCommand(admin)],
  );
  noun(
    'secrets',
    'Make the secrets of a deployment, and move stored credentials to a new encryption key',
    ['secrets generate --help', 'secrets reseal --dry-run'],
    [generateSecretsCommand(admin), resealSecretsCommand(admin)],
  );
  noun(
    'platform',
    'Prepare the servers of a deployment, and check them',
    ['platform roles --help', 'platform check --folder secrets'],
    [
      createRolesCommand(admin),
      migrateCommand(admin),
      prepareTemporalCommand(admin),
      printEnvironmentCommand(admin),
      checkPlatformCommand(admin),
    ],
  );
  noun('backup', 'Prepare backups of the database', ['backup role --help'], [createBackupRoleCommand(admin)]);
  noun(
    'waiting',
    'List, retry and give up what waits in all stores: messages, follow-ups, calendar syncs, webhooks',
    ['waiting list --older-than 10m', 'waiting retry --help'],
    [listWaitingCommand(admin), retryWaitingCommand(admin), giveUpWaitingCommand(admin)],
  );
  program.addCommand(doctorCommand(admin));
  return program;
}
