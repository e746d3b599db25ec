import { updateAgent } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { idFrom } from '../check.ts';
import { readRequestFile, sendRequestFile } from '../request-file.ts';
import { agentRecord } from './agent-text.ts';

export const updateAgentCommand = (admin: Admin): Command =>
  verb(
    'update',
    'Change an AI agent; members that the file leaves out stay, condition groups are replaced as a whole',
    [
      'agent update --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --agent 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f61 sales.json',
    ],
  )
    .argument('<file>', 'what to change as JSON, such as { "is_active": false }')
    .option('--store <id>', 'the store (required)')
    .option('--agent <id>', 'the agent (required)')
    .action(async (file: string, options: { store?: string; agent?: string; json?: boolean }) => {
      const { store } = options;
      const agentId = idFrom(options.agent, { option: '--agent', of: 'an agent' });
      const changed = await sendRequestFile(updateAgent, await readRequestFile(file), {
        file,
        within: '',
        whole: 'the agent',
        params: { agentId },
        send: (request) => callForStore(admin, updateAgent, request, store),
      });
      printResult(admin, options, changed, agentRecord);
    });
