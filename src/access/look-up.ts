import { DomainError, unavailable } from '#kernel'

/** A credential that cannot be looked up is not wrong: the caller shall try again. */
export async function lookUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw unavailable('keys_unavailable', 'Keys cannot be looked up right now', error)
  }
}
