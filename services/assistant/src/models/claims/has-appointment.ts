import type { Form } from './form.ts';
import { any, ending, patternOf, some } from './pattern.ts';
import { about, day, thing, things, your } from './things.ts';

const isIt = '(?:é|será|fica|ficou|es|queda|quedó|is|will be)';
const withDay = new RegExp(`^[^.!?\\n]{0,30}?${day}`);
const withDayOrDone = new RegExp(
  `^[^.!?\\n]{0,30}?${any(day, 'marcad', 'agendad', 'reservad', 'confirmad', 'booked', 'scheduled', 'confirmed')}`,
);

/** The claims that name the new time of an appointment, or that there is one. */
export const appointmentForms: readonly Form[] = [
  {
    ...{ kind: 'move', within: things, ahead: withDay },
    pattern: patternOf(`${your}${some(3)} (?:novo|nova|nueva|nuevo|new)${some(3)} ${isIt}`),
  },
  {
    ...{ kind: 'move', within: things, ahead: about },
    pattern: patternOf(`${your}${some(4)} (?:mudou|passou|cambió|pasó|moved|changed)`),
  },
  // The customer has an appointment.
  { kind: 'has', within: things, ahead: withDay, pattern: patternOf(`${your}${some(6)} ${isIt}`) },
  {
    ...{ kind: 'has', ahead: withDayOrDone },
    pattern: patternOf(
      `${any('você', 'vc', 'usted', 'tú')} (?:tem|tens|tiene|tienes)${some(3)} ${thing}`,
      `you (?:do )?have (?:an?|your)${some(2)} ${thing}`,
    ),
  },
  {
    ...{ kind: 'has', ahead: withDay },
    pattern: patternOf(
      `${any('você', 'vc', 'usted', 'tú')} (?:tem|tens|tiene|tienes)${some(4)} ${any('marcad', 'agendad', 'reservad')}${ending}`,
      `you (?:do )?have${some(4)} (?:booked|scheduled)`,
    ),
  },
];
