import { isDeepStrictEqual } from 'node:util';
import { type AssistantSettings, changesSomething, type ReplayedSide, replyStepLimits } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Dependencies } from '../dependencies.ts';
import { callModel, modelName, newCall } from '../models/call-model.ts';
import { introductionTo } from '../models/introduction.ts';
import type { Decision, ModelRequest, ToolResult } from '../models/model.ts';
import type { ConnectionRow } from '../models/model-connection.repository.ts';
import { ModelFailure } from '../models/model-failure.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { limitsOf } from '../prices/budget.ts';
import { reserveCall } from '../prices/model-day.repository.ts';
import { reachBudget } from '../prices/reach-budget.ts';
import { checkCalls } from '../tools/check-calls.ts';
import { type FindTimesInput, findTimes } from '../tools/find-times.ts';
import { offerList, offersToTell } from '../tools/said-by-server.ts';
import { mostModelCalls, toResult } from '../tools/step.ts';
import type { StepCall } from '../turns/step-call.ts';
import { offersIn } from './stored-offers.ts';

/** The model that is asked, and what it may use. */
export type Asking = {
  readonly scope: StoreScope;
  readonly call: StepCall;
  readonly connection: ConnectionRow;
  readonly agentId: string;
  readonly settings: AssistantSettings;
};

/** There is no time left for a call to the model. */
export class NoTimeLeft extends Error {}

/** The least time for a call, and what is kept for the answer after it, in milliseconds. */
const leastCallMs = 500;
const answerMs = 750;

/**
 * Asks the model until it decides, as a turn does. Searches are made, or answered as they were in the stored turn, and what
 * would change something ends it.
 *
 * @throws NoTimeLeft, and AppError `ai_budget_reached`
 */
export async function askAgain(
  dependencies: Dependencies,
  asked: Omit<ModelRequest, 'results'>,
  stored: readonly ToolResult[],
  asking: Asking,
): Promise<ReplayedSide> {
  const { connection, call } = asking;
  const language = asked.agent.language ?? asked.locale;
  const reader = { language, timezone: asked.timezone };
  const words = { timezone: asked.timezone, title: phrases[languageOf(asked.locale)].appointment };
  const then = { ...words, now: new Date(asked.now) };
  const results: ToolResult[] = [];
  const ended = (side: Partial<ReplayedSide> & Pick<ReplayedSide, 'action'>): ReplayedSide => ({
    ...{ reason: null, text: null, offers_times: false, passages: [], model: modelName(connection) },
    tools: results.map(({ name: tool, input }) => ({ tool, input: inputOf(input) })),
    ...side,
    ...(side.text && { text: [...introductionTo(side.text, asked), side.text].join('\n\n') }),
  });
  for (let calls = 0; calls < mostModelCalls; calls += 1) {
    const decision = await askOnce(dependencies, { ...asked, results }, asking);
    if (decision instanceof ModelFailure) return ended({ action: 'failed', reason: decision.kind });
    switch (decision.action) {
      case 'silent':
        return ended({ action: 'silent', reason: decision.reason });
      case 'hand_over':
        return ended({ action: 'hand_over', reason: decision.reason, text: decision.text });
      case 'reply': {
        const told = new Set(offersToTell(results));
        const offers = results.flatMap(({ output }) => offersIn(output, words)).filter(({ id }) => told.has(id));
        const text = [decision.text, offerList(offers, reader)].filter((part) => part !== '').join('\n\n');
        const titles = asked.passages.flatMap(({ document }, place) =>
          decision.usedPassages.includes(place) ? [document.title] : [],
        );
        return ended({ action: 'reply', text, offers_times: offers.length > 0, passages: [...new Set(titles)] });
      }
      case 'use_tools': {
        const checked = checkCalls({ ...asked, results }, decision.calls);
        const found = checked.map(toResult);
        const effect = found.find(({ name, output }) => output === null && changesSomething(name));
        if (effect) {
          results.push(...found.map((one) => ({ ...one, output: one.output ?? {} })));
          return ended({ action: 'use_tools' });
        }
        for (const one of found) {
          const same = stored.find(({ name, input }) => name === one.name && isDeepStrictEqual(input, one.input));
          const output =
            one.output ??
            same?.output ??
            (await findTimes(dependencies, call, one.input as FindTimesInput, then)).output;
          results.push({ ...one, output });
        }
      }
    }
  }
  return ended({ action: 'hand_over', reason: 'too_many_steps', text: phrases[languageOf(language)].person });
}

export const inputOf = (input: unknown): Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};

async function askOnce(
  dependencies: Dependencies,
  request: ModelRequest,
  { scope, call, connection, agentId, settings }: Asking,
): Promise<Decision | ModelFailure> {
  const { callMs } = replyStepLimits;
  const timeoutMs = Math.min(callMs, call.deadline - Date.now() - answerMs);
  if (timeoutMs < leastCallMs) throw new NoTimeLeft();
  const made = newCall(dependencies.prices, connection, { agentId });
  const reserved = await dependencies.database.write(scope, async (sql) => {
    const taken = await reserveCall(sql, scope.storeId, limitsOf(settings), made);
    if (!taken) await reachBudget(sql, scope.storeId, dependencies.prices, { refused: made });
    else if (taken.mayReach) await reachBudget(sql, scope.storeId, dependencies.prices);
    return taken;
  });
  if (!reserved) throw new AppError('ai_budget_reached');
  const { outcome, settle } = await callModel(dependencies, request, {
    ...{ scope, connection, agentId, timeoutMs, reserved },
  });
  await dependencies.database.write(scope, settle);
  // A turn would have waited longer, so this says nothing about the agent.
  const isCut = outcome instanceof ModelFailure && outcome.kind === 'timed_out' && timeoutMs < callMs;
  if (isCut) throw new NoTimeLeft();
  return outcome;
}
