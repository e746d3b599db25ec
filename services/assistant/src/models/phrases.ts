export type Language = 'pt' | 'es' | 'en';

/** The language of a language tag, as far as there are sentences in it. */
export function languageOf(tag: string): Language {
  const [language] = tag.toLowerCase().split('-');
  return language === 'pt' || language === 'es' ? language : 'en';
}

export type Phrases = {
  readonly hello: (name: string) => string;
  readonly helloAsAi: (name: string) => string;
  readonly iAmAi: (name: string) => string;
  /** As `iAmAi`, when the agent is not known. */
  readonly anAiWrites: string;
  readonly howCanIHelp: string;
  readonly quote: (title: string, passage: string) => string;
  readonly person: string;
  /** Said to a lead whose wish a person must confirm. */
  readonly confirmsFirst: string;
  readonly notFound: string;
  /** Said to a lead who sent a recording, a picture and the like. It says that it is an AI, as every first message does. */
  readonly pleaseWrite: string;
  /** The title of an appointment of no service. */
  readonly appointment: string;
  /** A note in the appointment, for the store. */
  readonly bookedBy: (agent: string) => string;
  readonly booked: (title: string, when: string) => string;
  readonly moved: (title: string, when: string) => string;
  readonly cancelled: (title: string, when: string) => string;
  readonly times: string;
  readonly otherTimes: string;
  readonly taken: string;
  readonly noTimes: string;
  readonly whichTime: string;
  readonly seeYou: string;
  readonly done: string;
};

/** What the platform itself says to a lead. */
export const phrases: Record<Language, Phrases> = {
  pt: {
    hello: (name) => `Olá, aqui é ${name}.`,
    helloAsAi: (name) => `Olá, aqui é ${name}, a assistente de IA da loja, em demonstração.`,
    iAmAi: (name) => `Olá, aqui é ${name}, a assistente de IA da loja.`,
    anAiWrites: 'Olá, aqui é a assistente de IA da loja.',
    howCanIHelp: 'Como posso ajudar?',
    quote: (title, passage) => `Em “${title}” está escrito:\n${passage}`,
    person: 'Vou chamar uma pessoa da equipe, que responde aqui assim que puder.',
    confirmsFirst: 'Uma pessoa da equipe confirma isso antes, e escreve aqui assim que puder.',
    notFound: 'Não encontrei essa informação. Vou chamar uma pessoa da equipe, que responde aqui assim que puder.',
    pleaseWrite: 'Sou a assistente de IA da loja, e por enquanto só leio textos. Pode escrever, por favor?',
    appointment: 'Atendimento',
    bookedBy: (agent) => `Marcado pela assistente de IA ${agent}, a pedido do cliente.`,
    booked: (title, when) => `Marcado: ${title}, ${when}.`,
    moved: (title, when) => `Remarcado: ${title}, ${when}.`,
    cancelled: (title, when) => `Cancelado: ${title}, ${when}.`,
    times: 'Temos estes horários. Qual prefere?',
    otherTimes: 'Nesse dia não há horário livre. Os próximos são estes. Qual prefere?',
    taken: 'Esse horário acabou de ser ocupado. Ainda temos estes. Qual prefere?',
    noTimes: 'Não encontrei horário livre. Vou chamar uma pessoa da equipe, que responde aqui assim que puder.',
    whichTime: 'Qual dos horários? Pode responder com o número.',
    seeYou: 'Até lá!',
    done: 'Pronto.',
  },
  es: {
    hello: (name) => `Hola, soy ${name}.`,
    helloAsAi: (name) => `Hola, soy ${name}, la asistente de IA de la tienda, en demostración.`,
    iAmAi: (name) => `Hola, soy ${name}, la asistente de IA de la tienda.`,
    anAiWrites: 'Hola, soy la asistente de IA de la tienda.',
    howCanIHelp: '¿En qué puedo ayudar?',
    quote: (title, passage) => `En “${title}” dice:\n${passage}`,
    person: 'Voy a llamar a una persona del equipo, que responderá aquí en cuanto pueda.',
    confirmsFirst: 'Una persona del equipo lo confirma antes, y escribirá aquí en cuanto pueda.',
    notFound:
      'No encontré esa información. Voy a llamar a una persona del equipo, que responderá aquí en cuanto pueda.',
    pleaseWrite: 'Soy la asistente de IA de la tienda, y por ahora solo leo textos. ¿Puede escribir, por favor?',
    appointment: 'Cita',
    bookedBy: (agent) => `Reservado por la asistente de IA ${agent}, a pedido del cliente.`,
    booked: (title, when) => `Reservado: ${title}, ${when}.`,
    moved: (title, when) => `Cambiado: ${title}, ${when}.`,
    cancelled: (title, when) => `Cancelado: ${title}, ${when}.`,
    times: 'Tenemos estos horarios. ¿Cuál prefiere?',
    otherTimes: 'Ese día no hay horario libre. Los próximos son estos. ¿Cuál prefiere?',
    taken: 'Ese horario acaba de ocuparse. Todavía tenemos estos. ¿Cuál prefiere?',
    noTimes: 'No encontré horario libre. Voy a llamar a una persona del equipo, que responderá aquí en cuanto pueda.',
    whichTime: '¿Cuál de los horarios? Puede responder con el número.',
    seeYou: '¡Hasta entonces!',
    done: 'Listo.',
  },
  en: {
    hello: (name) => `Hello, this is ${name}.`,
    helloAsAi: (name) => `Hello, this is ${name}, the store’s AI assistant, as a demonstration.`,
    iAmAi: (name) => `Hello, this is ${name}, the store’s AI assistant.`,
    anAiWrites: 'Hello, this is the store’s AI assistant.',
    howCanIHelp: 'How can I help?',
    quote: (title, passage) => `“${title}” says:\n${passage}`,
    person: 'I am calling a person of the team, who will answer here as soon as possible.',
    confirmsFirst: 'A person of the team confirms this first, and will write here as soon as possible.',
    notFound: 'I did not find that. I am calling a person of the team, who will answer here as soon as possible.',
    pleaseWrite: 'I am the store’s AI assistant, and so far I read only text. Could you write, please?',
    appointment: 'Appointment',
    bookedBy: (agent) => `Booked by the AI assistant ${agent}, as the customer asked.`,
    booked: (title, when) => `Booked: ${title}, ${when}.`,
    moved: (title, when) => `Moved: ${title}, ${when}.`,
    cancelled: (title, when) => `Cancelled: ${title}, ${when}.`,
    times: 'We have these times. Which one do you prefer?',
    otherTimes: 'No time is free on that day. The next ones are these. Which one do you prefer?',
    taken: 'That time has just been taken. We still have these. Which one do you prefer?',
    noTimes: 'I found no free time. I am calling a person of the team, who will answer here as soon as possible.',
    whichTime: 'Which of the times? You can answer with the number.',
    seeYou: 'See you then!',
    done: 'Done.',
  },
};
