import { type AskedAgent, type ReplayedSide, searchKnowledge } from '@mostrador/contracts';
import type { Dependencies } from '../dependencies.ts';
import type { Line } from '../models/model.ts';
import { type Asking, askAgain } from '../replay/ask-again.ts';
import { type Offering, offeredTools } from '../tools/offered-tools.ts';
import { searchTextOf, subjectOf } from '../turns/burst.ts';
import { mostPassages } from '../turns/decide.ts';
import { localeOfLead } from '../turns/lead-locale.ts';
import type { AgentEvalRow } from './agent-eval.ts';

/** The store as it is now, for a lead who has no appointments and was offered no times. */
export type EvalStore = Pick<Offering, 'books' | 'services' | 'timezone'> & { readonly locale: string };

/**
 * What an agent answers to an eval, as to a lead who writes now.
 *
 * @throws NoTimeLeft, and AppError `ai_budget_reached`
 */
export async function askEval(
  dependencies: Dependencies,
  { text, conversation }: Pick<AgentEvalRow, 'text' | 'conversation'>,
  { agent, store, asking }: { readonly agent: AskedAgent; readonly store: EvalStore; readonly asking: Asking },
): Promise<ReplayedSide> {
  const now = new Date().toISOString();
  const lines = conversation.map((line): Line => ({ ...line, at: now }));
  const q = searchTextOf(subjectOf(text, lines));
  const passages =
    q === ''
      ? []
      : (await dependencies.rpc.call(searchKnowledge, { query: { q, limit: mostPassages } }, asking.call)).data;
  const offering = { ...store, offers: [], appointments: [] };
  const request = {
    ...{ agent, locale: localeOfLead(store.locale, text, lines), timezone: store.timezone, now, text, passages },
    conversation: lines,
    isFirst: !lines.some(({ from }) => from === 'store'),
    tools: offeredTools(offering, agent.tools),
  };
  return await askAgain(dependencies, request, [], asking);
}
