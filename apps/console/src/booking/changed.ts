import { queries } from '../api/queries.ts';

/** After a change: what is booked, and the free times, are read again where they are shown. */
export const bookingChanged = async (): Promise<void> => {
  await Promise.all(
    ['booking', 'sellers', 'appointments'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
  );
};
