import { m } from '../paraglide/messages.js';
import { readAgent } from './agent.ts';

/** A browser and its system, in words. */
export function wordsOfAgent(agent: string | null): string {
  const { browser, system } = readAgent(agent ?? '');
  if (browser && system) return m.browser_on_system({ browser, system });
  return browser ?? system ?? m.session_unknown_browser();
}
