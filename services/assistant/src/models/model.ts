import type { Agent, HandoverReason, Passage, SilentReason, ToolName } from '@mostrador/contracts';
import type { TSchema } from '@sinclair/typebox';
import type { OpenedConnection } from './model-connection.repository.ts';

/** A call of a tool that a model asks for. The server checks the input, and an invalid call has no effect. */
export type ToolCall = { readonly id: string; readonly name: ToolName; readonly input: unknown };

/** A call that was made in this turn, with what it gave. */
export type ToolResult = ToolCall & { readonly output: unknown };

/** A tool that the server offers for this lead now. `input`: a TypeBox schema. */
export type Tool = { readonly name: ToolName; readonly description: string; readonly input: TSchema };

/** A message of the conversation before what is to be answered. `at`: RFC 3339. */
export type Line = { readonly from: 'lead' | 'store'; readonly text: string; readonly at: string };

/** What a model is asked. The server has chosen the agent, the passages and the tools. */
export type ModelRequest = {
  readonly agent: Pick<Agent, 'name' | 'language' | 'disclosure' | 'instructions' | 'tone' | 'handover_when'>;
  /** The language of the lead as far as it can be told, else that of the store: for an agent without one. */
  readonly locale: string;
  /** What the lead wrote, one message a line. */
  readonly text: string;
  readonly passages: readonly Passage[];
  /** What was said before, the oldest first, at most 20 messages and 8,000 characters. */
  readonly conversation: readonly Line[];
  readonly tools: readonly Tool[];
  /** The calls of this turn so far, in order. */
  readonly results: readonly ToolResult[];
  /** RFC 3339. */
  readonly now: string;
  /** The IANA time zone of the store. */
  readonly timezone: string;
  /** Whether the AI has not written to the lead in the messages before. */
  readonly isFirst: boolean;
};

/**
 * What a model decides. It chooses among these, and nothing else happens. `usedPassages`: places in the list that it was
 * given. `calls`: at least one.
 */
export type Decision =
  | { readonly action: 'reply'; readonly text: string; readonly usedPassages: readonly number[] }
  | { readonly action: 'use_tools'; readonly calls: readonly ToolCall[] }
  | { readonly action: 'silent'; readonly reason: SilentReason }
  | { readonly action: 'hand_over'; readonly text: string; readonly reason: HandoverReason };

/** What a call used, as far as the provider tells it. */
export type Usage = { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };

/** A model of a provider. */
export type Model = {
  /** `onUsage`: called before the answer, or before the failure of an answer that cannot be used. @throws ModelFailure */
  answer(
    request: ModelRequest,
    options: { readonly timeoutMs: number; readonly onUsage?: ((usage: Usage) => void) | undefined },
  ): Promise<Decision>;
  /** Calls it once, to see whether it can be called. @throws ModelFailure */
  tryOut(options: { readonly timeoutMs: number }): Promise<void>;
};

/** Opens the model of a connection. @throws ModelFailure when its key cannot be decrypted */
export type OpenModel = (storeId: string, connection: OpenedConnection) => Model;
