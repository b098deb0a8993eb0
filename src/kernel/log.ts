import type { Logger } from 'pino'

/** What a part needs of the log: one wide line for a thing that happened. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
