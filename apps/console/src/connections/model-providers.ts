import type { ModelConnection } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

export type ModelProvider = ModelConnection['provider'];

export const modelProviderWords: Readonly<Record<ModelProvider, () => string>> = {
  openai: () => 'OpenAI',
  gemini: () => 'Google Gemini',
  openai_compatible: m.connections_ai_compatible,
  demo: m.connections_ai_demo,
};
export const modelProviderHints: Readonly<Record<ModelProvider, () => string>> = {
  openai: m.connections_ai_openai_hint,
  gemini: m.connections_ai_gemini_hint,
  openai_compatible: m.connections_ai_compatible_hint,
  demo: m.connections_ai_demo_hint,
};
export const modelProviders = Object.keys(modelProviderWords) as ModelProvider[];

/** The fields that must not be empty. The server has the rules. */
export const neededByModel: Readonly<Record<ModelProvider, readonly string[]>> = {
  openai: ['api_key'],
  gemini: ['api_key'],
  openai_compatible: ['url', 'model'],
  demo: [],
};

type FailureKind = NonNullable<ModelConnection['failure']>['kind'];

const failures: Readonly<Record<FailureKind, () => string>> = {
  rejected: m.connections_ai_rejected,
  rate_limited: m.connections_ai_limited,
  unavailable: m.connections_ai_silent,
  timed_out: m.connections_ai_silent,
  malformed: m.connections_ai_malformed,
  refused: m.connections_ai_malformed,
};
export const wordsOfModelFailure = (kind: FailureKind): string => failures[kind]();
