import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ModelProvider, modelProviders } from '@mostrador/contracts';
import type { Prices } from './results.ts';
import type { SimulatedBy } from './simulated-customer.ts';
import type { Answering } from './store.ts';

export const help = `Usage: npm run evals [-- OPTIONS]
       npm run evals -- --compare ONE OTHER [--output FILE]

Scripted customers, or with --customer some whom a model plays, write to the AI of a platform of its own. A conversation passes when the appointments, the lead, the
follow-ups and the hand-over are as they must be at its end, and the replies tell the facts.

  --provider NAME     ${modelProviders.join(', ')} (default demo)
  --model NAME        the model at the provider
  --url URL           the address of the provider
  --key-env NAME      the environment variable that has the key of the provider
  --agent FILE        JSON with members of POST /agents, in place of those of the stores' agents
  --price-in N        the price of a million tokens of prompts, for the comparison
  --price-out N       the price of a million tokens of answers
  --customer MODEL    a model plays the customers of tests/evals/simulated, in place of scripts and attacks
  --customer-url URL  the address of that model, which has the API of OpenAI, such as http://127.0.0.1:11434/v1
  --customer-key-env NAME
                      the environment variable that has its key
  --customer-lines N  the most messages that such a customer writes (default 8)
  --trials K          how often each conversation is played (default 1); pass^k counts those that pass every time
  --at-once N         how many conversations run side by side (default 8 for demo, otherwise 2)
  --only TEXT         only conversations whose id, kind or language is, or whose id begins with, this text;
                      attacks: only these
  --name NAME         the name of the results: .local/evals/NAME.json (default: the provider and model)
  --baseline NAME     only conversations that passed there are a regression
  --compare           writes a page that shows two results side by side; each is a name or a file
  --output FILE       where the page goes (default .local/evals/ONE-OTHER.md)
  --help              show this text

Exit codes: 0 no regression, 1 regression, 2 wrong usage.`;

/** What is wrong with the arguments, and what to do. */
export class WrongUsage extends Error {}

export type Settings = {
  readonly answering: Answering;
  /** Undefined: scripted customers. */
  readonly simulatedBy: SimulatedBy | undefined;
  readonly prices: Prices;
  readonly trials: number;
  readonly mostAtOnce: number;
  readonly only: string | undefined;
  readonly name: string;
  readonly baseline: string | undefined;
};
export type Comparison = { readonly compare: readonly [string, string]; readonly output: string | undefined };

/** Undefined: the help is asked for. @throws WrongUsage */
export function settingsOf(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings | Comparison | undefined {
  const { values, positionals } = readArguments(argv);
  if (values.help) return undefined;
  if (values.compare) {
    const [one, other, ...more] = positionals;
    if (!one || !other || more.length > 0) throw new WrongUsage('--compare needs two names of results, or two files.');
    return { compare: [one, other], output: values.output };
  }
  if (positionals.length > 0) throw new WrongUsage(`${positionals[0]} is no option. --help lists the options.`);
  const provider = values.provider as ModelProvider;
  if (!modelProviders.includes(provider))
    throw new WrongUsage(`--provider must be one of ${modelProviders.join(', ')}.`);
  const { model, url, agent, only, baseline } = values;
  const apiKey = keyOf(values['key-env'], environment);
  const simulatedBy = simulatedByOf(values, environment);
  const names = [provider, model, ...(simulatedBy ? ['by', simulatedBy.connection.model] : [])];
  const connection = { ...(model && { model }), ...(url && { url }), ...(apiKey && { apiKey }) };
  const [input, output] = [values['price-in'], values['price-out']].map((price) => amount(price));
  return {
    answering: { provider, ...connection, ...(agent && { agent: readAgent(agent) }) },
    prices: input === undefined || output === undefined ? undefined : { input, output },
    trials: whole('trials', values.trials),
    mostAtOnce: whole('at-once', values['at-once'] ?? (provider === 'demo' ? '8' : '2')),
    ...{ only, baseline, name: values.name ?? names.filter(Boolean).join('-').replaceAll('/', '-') },
    simulatedBy,
  };
}

function keyOf(name: string | undefined, environment: Readonly<Record<string, string | undefined>>) {
  if (name === undefined) return undefined;
  const key = environment[name];
  if (!key) throw new WrongUsage(`The environment variable ${name} is empty. Set the key in it.`);
  return key;
}

/** The model that plays the customers. */
function simulatedByOf(
  values: ReturnType<typeof readArguments>['values'],
  environment: Readonly<Record<string, string | undefined>>,
): SimulatedBy | undefined {
  const { customer: model, 'customer-url': url, 'customer-key-env': keyName, 'customer-lines': lines } = values;
  if (model === undefined) {
    if (url !== undefined || keyName !== undefined || lines !== undefined) {
      throw new WrongUsage('--customer-url, --customer-key-env and --customer-lines need --customer with a model.');
    }
    return undefined;
  }
  if (model === '' || url === undefined || !URL.canParse(url)) {
    throw new WrongUsage('--customer needs the name of a model, and its address in --customer-url.');
  }
  const apiKey = keyOf(keyName, environment);
  return {
    connection: { url, model, ...(apiKey && { apiKey }) },
    mostLines: whole('customer-lines', lines ?? '8'),
  };
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new WrongUsage(`--${name} must be a whole number, 1 or more.`);
  return number;
}

function amount(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!(Number(value) >= 0)) throw new WrongUsage('--price-in and --price-out must be numbers, 0 or more.');
  return Number(value);
}

function readArguments(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ...{ provider: { ...text, default: 'demo' }, model: text, url: text, 'key-env': text, agent: text },
        ...{ 'price-in': text, 'price-out': text, trials: { ...text, default: '1' }, 'at-once': text, only: text },
        ...{ customer: text, 'customer-url': text, 'customer-key-env': text, 'customer-lines': text },
        ...{ name: text, baseline: text, output: text },
        compare: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

function readAgent(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new WrongUsage(`--agent must name a JSON file: ${(error as Error).message}`);
  }
}
