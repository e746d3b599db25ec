import { createAgent } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { readRequestFile, sendRequestFile } from '../request-file.ts';
import { agentRecord } from './agent-text.ts';

/** An example of an agent file, for the help page. */
const example = `An agent file:
  { "name": "Vendas", "priority": 1, "model": "auto", "is_active": true, "is_default": false,
    "voice_id": null, "audio_response_enabled": false,
    "instructions": "You sell glasses. Prices stand in the knowledge base.", "tone": "warm and brief",
    "language": "pt-BR", "disclosure": true, "handover_when": "The customer complains.",
    "tools": ["find_times", "book", "move", "cancel"],
    "condition_groups": [
      { "group_index": 0, "conditions": [
        { "condition_type": "lead_status", "operator": "=", "value": "pending" } ] } ] }

A condition compares lead_status, seller, tag, message_contains, language, first_contact or business_hours, by =, !=, in,
not_in or contains. business_hours has the value open or closed, and may have "hours" and a "timezone" of its own.

tools are find_times, book, move, cancel, schedule_followup and update_lead; without the member, all.

name and priority are required. The agent with the lowest priority number is chosen first. A group matches when all of
its conditions hold, and one matching group is enough.`;

export const createAgentCommand = (admin: Admin): Command =>
  verb('create', 'Create an AI agent from a JSON file', [
    'agent create --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 sales.json',
  ])
    .argument('<file>', 'the agent as JSON')
    .option('--store <id>', 'the store (required)')
    .addHelpText('after', `\n${example}`)
    .action(async (file: string, options: { store?: string; json?: boolean }) => {
      const made = await sendRequestFile(createAgent, await readRequestFile(file), {
        file,
        within: '',
        whole: 'the agent',
        send: (request) => callForStore(admin, createAgent, request, options.store),
      });
      printResult(admin, options, made, agentRecord);
    });
