import { after, any, before, word } from './pattern.ts';

/** What a customer has at a store. */
export const thing = `${any(
  ...['hor[áa]rios?', 'agendamentos?', 'consultas?', 'reservas?', 'sess(?:ão|ões)', 'visitas?', 'compromissos?'],
  ...['marcação', 'citas?', 'turnos?', 'horas?', 'reservaci(?:ón|ones)', 'sesi(?:ón|ones)', 'appointments?'],
  ...['bookings?', 'reservations?', 'visits?', 'slots?', 'sessions?'],
)}(?! d[eo] (?:funcionamento|atendimento|apertura|abertura|atención))`;
const weekday = any(
  ...['segunda', 'terça', 'quarta', 'quinta', 'sexta', 'sábado', 'domingo', 'lunes', 'martes', 'miércoles', 'jueves'],
  ...['viernes', '(?:mon|tues|wednes|thurs|fri|satur|sun)day'],
);
export const day = any(
  'amanhã',
  'hoje',
  'mañana',
  'hoy',
  'tomorrow',
  'today',
  weekday,
  'd[ií]a \\d',
  '(?:[àa]s|a las?|at) \\d',
  '\\d{1,2} ?[h:]',
);
/**
 * The text after a verb that has other meanings, too. It means an appointment only with one, or with its new time.
 */
export const about = new RegExp(
  `^ (?:(?!(?:sobre|acerca|about|para|pra|for|of|com|con|with)${after})${word} ){0,3}?${thing}|^[^.!?\\n]{0,40}? (?:para|pra|a|al|el|to|on|for) (?:[ao] |el |la |the )?${day}`,
);
export const things = new RegExp(`${before}${thing}`);
export const your = any('(?:[oa]s? )?(?:seu|sua|teu|tua)s?', 'tus?', 'sus?', 'your');
