import {
  type Agent,
  changesSomething,
  getLead,
  getStoreSettings,
  listAppointments,
  listMessages,
  listStoreServices,
  type Message,
  replayConversation as operation,
  type ReplayedSide,
  type ReplayedTurn,
  type ReplyOf,
  type RequestOf,
  searchKnowledge,
  selectAgent,
} from '@mostrador/contracts';
import { withIdempotency } from '@mostrador/kit/idempotency/idempotency';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant, toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { candidatesOf } from '../models/choose-model.ts';
import type { ToolResult } from '../models/model.ts';
import { findConnections } from '../models/model-connection.repository.ts';
import { languageOf, phrases } from '../models/phrases.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { type Offering, offeredTools } from '../tools/offered-tools.ts';
import { readRules } from '../tools/read-offering.ts';
import { offersToTell } from '../tools/said-by-server.ts';
import { listCalls } from '../tools/step.repository.ts';
import { toResult } from '../tools/step.ts';
import { burstOf, isFirstAnswer, linesBefore, newestOf, searchTextOf, subjectOf, textOf } from '../turns/burst.ts';
import { longestText, mostLines, mostPassages } from '../turns/decide.ts';
import { localeOfLead } from '../turns/lead-locale.ts';
import { mostMessages as mostMessagesOfTurn } from '../turns/read-lead.ts';
import type { StepCall } from '../turns/step-call.ts';
import { type DecidedTurn, findTurn, listDecided, listDecidedBefore } from '../turns/turn.repository.ts';
import { type Asking, askAgain, inputOf } from './ask-again.ts';
import { differs } from './differs.ts';
import { askInTime, fewAtOnce } from './in-time.ts';
import { offeredBefore } from './stored-offers.ts';

const mostMessages = 200;
/** Whose offers a lead may still accept. */
const mostTurnsBefore = 20;

type Body = RequestOf<typeof operation>['body'];
type Answer = ReplyOf<typeof operation>;

/** Asks the model what it would do. Nothing is sent, and no tool that changes something is used. */
export const replayConversation = (dependencies: Dependencies): Handler<typeof operation> => {
  const { database, vault } = dependencies;
  const limited = fewAtOnce();
  return async (context, { body }) =>
    limited(() =>
      withIdempotency({
        ...{ database, context, operation },
        // The answer has texts of the lead.
        vault,
        run: async (commit) => {
          const answer = await replay(dependencies, context, body);
          return await commit(async () => answer);
        },
        toReply: (answer: Answer) => answer,
      }),
    );
};

async function replay(dependencies: Dependencies, context: StoreContext, body: Body): Promise<Answer> {
  const { database, rpc } = dependencies;
  const { requestId, storeId, deadline, traceparent } = context;
  const call = { requestId, storeId, deadline, traceparent };
  const { lead_id, agent: changes, after, turns: limit = 5 } = body;
  // An unknown lead is an error of its own.
  await rpc.call(getLead, { params: { leadId: lead_id } }, call);
  const { agent } = await rpc.call(selectAgent, { body: { lead_id } }, call);
  if (!agent) throw new AppError('agent_not_found');
  const changed: Agent = { ...agent, ...changes };
  const { settings, connections, rows } = await database.read(context, async (sql) => {
    const [from] = after === undefined ? [] : await findTurn(sql, storeId, after);
    if (after !== undefined && from?.lead_id !== lead_id) {
      throw validationFailed([{ pointer: '#/after', detail: 'is no turn of this lead' }]);
    }
    const [settings, connections, rows] = await Promise.all([
      findSettings(sql, storeId),
      findConnections(sql, storeId),
      // One more, to know whether more follow.
      listDecided(sql, storeId, lead_id, { after: from, limit: limit + 1 }),
    ]);
    return { settings, connections, rows };
  });
  const [connection] = candidatesOf(connections, changed.model);
  if (!connection) throw new AppError('model_not_connected');
  const asking = { scope: context, call, connection, agentId: agent.id, settings };
  const conversation = await readConversation(dependencies, call, lead_id, rows);
  const data: ReplayedTurn[] = [];
  const last = await askInTime(rows.slice(0, limit), context, async (turn) => {
    const replayed = await replayTurn(dependencies, { turn, agent: changed, conversation, asking });
    if (replayed) data.push(replayed);
  });
  return { agent_id: agent.id, data, next: last && last !== rows.at(-1) ? last.id : null };
}

type Conversation = Awaited<ReturnType<typeof readConversation>>;

/** What the turns of a lead are made from, as it is now. */
async function readConversation(
  { database, rpc }: Dependencies,
  call: StepCall,
  leadId: string,
  rows: readonly DecidedTurn[],
) {
  const [first] = rows;
  const [{ data: messages }, { locale, timezone }, rules, services, appointments, earlier] = await Promise.all([
    rpc.call(listMessages, { params: { leadId }, query: { limit: mostMessages } }, call),
    rpc.call(getStoreSettings, {}, call),
    readRules(rpc, call),
    rpc.call(listStoreServices, { query: { limit: 50 } }, call),
    rpc.call(listAppointments, { query: { lead_id: leadId, limit: 50 } }, call),
    first
      ? database.lookUp(call, (sql) =>
          listDecidedBefore(sql, call.storeId, leadId, { before: first, limit: mostTurnsBefore }),
        )
      : [],
  ]);
  const turns = [...earlier.toReversed(), ...rows];
  const results = new Map(
    await Promise.all(
      turns.map(async ({ id }) => {
        const calls = await database.lookUp(call, (sql) => listCalls(sql, call.storeId, id));
        // What waits for a person has given nothing.
        return [id, calls.map((made) => ({ ...made, output: made.output ?? {} }))] as const;
      }),
    ),
  );
  return {
    ...{ locale, timezone, books: rules !== undefined, services: services.data, appointments: appointments.data },
    ...{ messages: messages.toReversed(), turns, results },
  };
}

type Replaying = {
  readonly turn: DecidedTurn;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly asking: Asking;
};

/** Undefined: the messages of the turn are not among those that were read, or had no text. */
async function replayTurn(
  dependencies: Dependencies,
  { turn, agent, conversation, asking }: Replaying,
): Promise<ReplayedTurn | undefined> {
  const { timezone, results } = conversation;
  const messages = conversation.messages
    .filter(({ created_at }) => toInstant(created_at) <= turn.answered_to)
    .slice(-mostMessagesOfTurn);
  const burst = burstOf(messages, turn.first_received_at);
  const text = burst && textOf(burst.messages, messages);
  if (!burst || !text) return undefined;
  const lines = linesBefore(messages, burst.messages, mostLines);
  const q = searchTextOf(subjectOf(text, lines));
  const passages =
    q === ''
      ? []
      : (await dependencies.rpc.call(searchKnowledge, { query: { q, limit: mostPassages } }, asking.call)).data;
  const calls = (results.get(turn.id) ?? []).map(toResult);
  const locale = localeOfLead(conversation.locale, text, lines);
  const request = {
    ...{ agent, locale, timezone, now: turn.answered_to.toISOString(), text: newestOf(text, longestText), passages },
    conversation: lines,
    isFirst: isFirstAnswer(messages),
    tools: offeredTools(offeringAt(turn, conversation), agent.tools),
  };
  const before = storedSide(turn, calls, conversation.messages);
  const after = await askAgain(dependencies, request, calls, asking);
  const at = toTimestamp(turn.answered_to);
  return { turn_id: turn.id, at, text, before, after, differs: differs(before, after) };
}

/** What the tools depended on when a turn was decided, as far as it is still known. */
function offeringAt(
  turn: DecidedTurn,
  { books, services, appointments, timezone, locale, turns, results }: Conversation,
) {
  const before = turns.slice(0, turns.indexOf(turn));
  const words = { timezone, title: phrases[languageOf(locale)].appointment };
  const offered = offeredBefore(
    before.map(({ id }) => results.get(id) ?? []),
    words,
  );
  const offering: Offering = {
    ...{ books, services, timezone },
    offers: offered.filter(({ starts_at }) => starts_at > turn.answered_to),
    // Those that existed, and were not done or cancelled before.
    appointments: appointments.filter(
      ({ created_at, updated_at, scheduled_at, status }) =>
        toInstant(created_at) <= turn.answered_to &&
        toInstant(scheduled_at) > turn.answered_to &&
        (status === 'scheduled' || toInstant(updated_at) > turn.answered_to),
    ),
  };
  return offering;
}

/** How a turn was answered. */
function storedSide(turn: DecidedTurn, calls: readonly ToolResult[], messages: readonly Message[]): ReplayedSide {
  const { state, reason, passages, model } = turn;
  // A replay does not ask a person.
  const asked = reason === 'needs_confirmation';
  const acted = asked || calls.some(({ name, output }) => changesSomething(name) && !('error' in (output as object)));
  return {
    action: acted ? 'use_tools' : state === 'sent' ? 'reply' : state === 'silent' ? 'silent' : 'hand_over',
    ...{ reason, text: messages.find(({ id }) => id === turn.id)?.body ?? null, model },
    tools: calls.map(({ name: tool, input }) => ({ tool, input: inputOf(input) })),
    offers_times: state === 'sent' && offersToTell(calls).length > 0,
    passages: [...new Set(passages.filter(({ used }) => used).map(({ title }) => title))],
  };
}
