export type Language = 'pt' | 'es' | 'en';

/** The language of a language tag, as far as there are sentences in it. */
export function languageOf(tag: string): Language {
  const [language] = tag.toLowerCase().split('-');
  return language === 'pt' || language === 'es' ? language : 'en';
}

type Phrases = {
  readonly hello: (name: string) => string;
  readonly helloAsAi: (name: string) => string;
  readonly iAmAi: (name: string) => string;
  readonly howCanIHelp: string;
  readonly quote: (title: string, passage: string) => string;
  readonly person: string;
  readonly notFound: string;
};

/** What the platform itself says to a lead. */
export const phrases: Record<Language, Phrases> = {
  pt: {
    hello: (name) => `Olá, aqui é ${name}.`,
    helloAsAi: (name) => `Olá, aqui é ${name}, a assistente de IA da loja, em demonstração.`,
    iAmAi: (name) => `Olá, aqui é ${name}, a assistente de IA da loja.`,
    howCanIHelp: 'Como posso ajudar?',
    quote: (title, passage) => `Em “${title}” está escrito:\n${passage}`,
    person: 'Vou chamar uma pessoa da equipe, que responde aqui assim que puder.',
    notFound: 'Não encontrei essa informação. Vou chamar uma pessoa da equipe, que responde aqui assim que puder.',
  },
  es: {
    hello: (name) => `Hola, soy ${name}.`,
    helloAsAi: (name) => `Hola, soy ${name}, la asistente de IA de la tienda, en demostración.`,
    iAmAi: (name) => `Hola, soy ${name}, la asistente de IA de la tienda.`,
    howCanIHelp: '¿En qué puedo ayudar?',
    quote: (title, passage) => `En “${title}” dice:\n${passage}`,
    person: 'Voy a llamar a una persona del equipo, que responderá aquí en cuanto pueda.',
    notFound:
      'No encontré esa información. Voy a llamar a una persona del equipo, que responderá aquí en cuanto pueda.',
  },
  en: {
    hello: (name) => `Hello, this is ${name}.`,
    helloAsAi: (name) => `Hello, this is ${name}, the store’s AI assistant, as a demonstration.`,
    iAmAi: (name) => `Hello, this is ${name}, the store’s AI assistant.`,
    howCanIHelp: 'How can I help?',
    quote: (title, passage) => `“${title}” says:\n${passage}`,
    person: 'I am calling a person of the team, who will answer here as soon as possible.',
    notFound: 'I did not find that. I am calling a person of the team, who will answer here as soon as possible.',
  },
};
