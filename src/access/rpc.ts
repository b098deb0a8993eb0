import { limitsUnavailable } from '#counters'
import type { Log } from '#kernel'
import type { Directory } from './directory.ts'
import type { FoundKey, FoundSecret, KeySource } from './known-keys.ts'
import type { LastUsed } from './last-used.ts'
import type { StoredToken } from './oauth/records.ts'

/** What a thread without a database asks the main thread. */
export type AccessQuestion =
  | { readonly about: 'secret'; readonly digest: string; readonly prefix: string }
  | { readonly about: 'key'; readonly id: number }
  | { readonly about: 'token'; readonly hash: string }
  | { readonly about: 'seed'; readonly keyId: number; readonly atMs: number }
  | { readonly about: 'uses'; readonly keyIds: readonly number[] }

export type AccessAnswer =
  | { readonly about: 'key'; readonly found: FoundKey | null }
  | { readonly about: 'token'; readonly token: StoredToken | undefined }
  | { readonly about: 'seeded' }
  | { readonly about: 'uses' }
  /** It cannot be said right now. */
  | { readonly about: 'nothing' }

/** Where the questions are answered: in the main thread by the database, elsewhere by asking it. */
export interface AccessRpc extends KeySource {
  findToken(hash: string): Promise<StoredToken | undefined>
  /** Begins the month counter of the key, from usage. */
  seed(keyId: number, atMs: number): Promise<void>
  /** They were used just now. */
  noteUses(keyIds: readonly number[]): Promise<void>
}

interface ServiceDeps {
  readonly directory: Pick<Directory, 'findByDigest' | 'findById'>
  readonly oauth: { findStored: AccessRpc['findToken'] }
  readonly lastUsed: Pick<LastUsed, 'noteAll'>
  readonly seed: AccessRpc['seed']
}

/** In the main thread. Tokens are read anew, because whoever asks remembers them by itself. */
export function createRpcService({ directory, oauth, lastUsed, seed }: ServiceDeps): AccessRpc {
  return {
    findSecret: async (digest, prefix) => toFound(await directory.findByDigest(digest, prefix)),
    findKey: async (id) => toFound(await directory.findById(id)),
    findToken: oauth.findStored,
    seed,
    noteUses: async (keyIds) => lastUsed.noteAll(keyIds),
  }
}

function toFound(found: FoundSecret | null): FoundKey | null {
  return found && { stored: found.known.stored, validUntilMs: found.validUntilMs }
}

/** The main thread's end. It never rejects: the thread that asks must hear something, the cause is in the log. */
export function answerFrom(rpc: AccessRpc, log: Pick<Log, 'warn'>) {
  return async (question: AccessQuestion): Promise<AccessAnswer> => {
    try {
      return await answer(question)
    } catch (error) {
      log.warn(
        { err: error, about: question.about },
        'a question of another thread was not answered',
      )
      return { about: 'nothing' }
    }
  }

  async function answer(question: AccessQuestion): Promise<AccessAnswer> {
    switch (question.about) {
      case 'secret':
        return { about: 'key', found: await rpc.findSecret(question.digest, question.prefix) }
      case 'key':
        return { about: 'key', found: await rpc.findKey(question.id) }
      case 'token':
        return { about: 'token', token: await rpc.findToken(question.hash) }
      case 'seed':
        await rpc.seed(question.keyId, question.atMs)
        return { about: 'seeded' }
      case 'uses':
        await rpc.noteUses(question.keyIds)
        return { about: 'uses' }
    }
  }
}

/** The other end. */
export function createRpcClient(
  ask: (question: AccessQuestion) => Promise<AccessAnswer>,
): AccessRpc {
  const seeding = new Map<number, Promise<void>>()
  return { findSecret, findKey, findToken, seed, noteUses }

  function findSecret(digest: string, prefix: string) {
    return key({ about: 'secret', digest, prefix })
  }

  function findKey(id: number) {
    return key({ about: 'key', id })
  }

  async function key(question: AccessQuestion): Promise<FoundKey | null> {
    const answer = await ask(question)
    if (answer.about !== 'key') throw new Error('the main thread cannot look up keys')
    return answer.found
  }

  async function findToken(hash: string) {
    const answer = await ask({ about: 'token', hash })
    if (answer.about !== 'token') throw new Error('the main thread cannot look up tokens')
    return answer.token
  }

  /** All requests of a key that wait for its counter ask once. */
  function seed(keyId: number, atMs: number): Promise<void> {
    const running = seeding.get(keyId)
    if (running) return running
    const started = askForSeed(keyId, atMs).finally(() => seeding.delete(keyId))
    seeding.set(keyId, started)
    return started
  }

  async function askForSeed(keyId: number, atMs: number) {
    const answer = await ask({ about: 'seed', keyId, atMs })
    if (answer.about !== 'seeded') throw limitsUnavailable()
  }

  async function noteUses(keyIds: readonly number[]) {
    const answer = await ask({ about: 'uses', keyIds })
    if (answer.about !== 'uses') throw new Error('the main thread cannot note uses')
  }
}
