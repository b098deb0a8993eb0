import type { SqlDialect } from './dialect.ts'

/** Each takes the database a second to notice. */
const ATTEMPTS = 5

/** Runs a whole transaction again when the database gave it up in favour of another. */
export async function againAfterDeadlock<T>(
  { isDeadlock }: Pick<SqlDialect, 'isDeadlock'>,
  work: (attempt: number) => Promise<T>,
  attempts = ATTEMPTS,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt === attempts || !isDeadlock(error)) throw error
    }
  }
}
