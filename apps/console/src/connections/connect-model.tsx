import { useState } from 'react';
import { type ConnectModel as Body, dataOf, platform } from '../api/platform.ts';
import { aiQuery, keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { TextField } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';
import { fullAddress } from './calendar-providers.ts';
import { type Asked, ConnectDialog, type TextOf } from './connect-dialog.tsx';
import {
  type ModelProvider,
  modelProviderHints,
  modelProviders,
  modelProviderWords,
  neededByModel,
} from './model-providers.ts';
import { wordsOfModelRefusal } from './reason-words.ts';

/** Connects a provider of models. It is called once before anything is kept. */
export function ConnectModel(asked: Asked) {
  const [provider, setProvider] = useState<ModelProvider>('openai');
  const connect = async (of: TextOf) => {
    const connected = await dataOf(platform.PUT('/ai/connections', { body: bodyOf(provider, of) }));
    await keep(aiQuery, connected);
    say(m.connections_ai_was_connected());
  };
  const isCompatible = provider === 'openai_compatible';
  return (
    <ConnectDialog
      {...asked}
      title={m.connections_ai_connect()}
      provider={provider}
      providers={modelProviders.map((each) => [each, modelProviderWords[each]()] as const)}
      onProvider={setProvider}
      hint={modelProviderHints[provider]()}
      needed={neededByModel[provider]}
      connect={connect}
      action={m.connections_check_and_connect()}
      connecting={m.connections_checking()}
      wordsOf={wordsOfModelRefusal}
    >
      {({ field, secret }) =>
        provider !== 'demo' && (
          <>
            {isCompatible && (
              <TextField
                label={m.connections_ai_url()}
                hint={m.connections_ai_url_hint()}
                type="url"
                {...field('url')}
              />
            )}
            <TextField
              // The key of one provider is not for the address of another.
              key={`key of ${provider}`}
              label={m.connections_ai_key()}
              hint={isCompatible ? m.connections_ai_key_optional() : m.connections_ai_key_hint()}
              {...secret('api_key')}
            />
            <TextField
              key={`model of ${provider}`}
              label={m.connections_ai_model()}
              hint={
                isCompatible
                  ? m.connections_ai_model_hint()
                  : m.connections_ai_model_optional({ model: defaultModels[provider] })
              }
              {...field('model')}
            />
          </>
        )
      }
    </ConnectDialog>
  );
}

/** What the server takes when no model is named. */
const defaultModels = { openai: 'gpt-5-mini', gemini: 'gemini-flash-latest', openai_compatible: '' };

/** What is empty is left out. */
function bodyOf(provider: ModelProvider, of: TextOf): Body {
  if (provider === 'demo') return { provider };
  const [url, model, api_key] = [fullAddress(of('url')), of('model'), of('api_key')];
  return { provider, ...(url && { url }), ...(model && { model }), ...(api_key && { secrets: { api_key } }) };
}
