import interaction from '@fullcalendar/react/interaction';

/**
 * Dragging, by the place where the pointer holds the event. By itself the library takes the middle of the half hour that
 * is held, which is a quarter of an hour later for most: what is moved to another column only would move in time, too.
 */
export const exactDrag: typeof interaction = {
  ...interaction,
  componentInteractions: interaction.componentInteractions?.map(
    (Interaction) =>
      class extends Interaction {
        constructor(settings: ConstructorParameters<typeof Interaction>[0]) {
          super({ ...settings, useEventCenter: false });
        }
      },
  ),
};
