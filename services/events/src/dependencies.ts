import type { FeedNotice } from '@mostrador/contracts';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  /** Tells the processes that wait for events that feeds have grown. May get lost. */
  readonly notify: (notice: FeedNotice) => void;
  /** When an event is appended. Default: the clock of this process. */
  readonly now?: () => Date;
};
