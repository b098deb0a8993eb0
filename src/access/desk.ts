import { unavailable } from '#kernel-thread'
import type { Directory } from './directory.ts'
import type { FoundKey, FoundSecret, KeySource } from './known-keys.ts'
import type { LastUsed } from './last-used.ts'
import type { StoredToken } from './oauth/records.ts'

/** What a thread without a database asks the main thread. */
export type AccessQuestion =
  | { readonly about: 'secret'; readonly digest: string; readonly prefix: string }
  | { readonly about: 'key'; readonly id: number }
  | { readonly about: 'token'; readonly hash: string }
  | { readonly about: 'served'; readonly keyId: number }
  | { readonly about: 'uses'; readonly keyIds: readonly number[] }

export type AccessAnswer =
  | { readonly about: 'key'; readonly found: FoundKey | null }
  | { readonly about: 'token'; readonly token: StoredToken | undefined }
  | { readonly about: 'served'; readonly cost: number }
  | { readonly about: 'uses' }
  /** It cannot be said right now. */
  | { readonly about: 'nothing' }

/** Where the questions are answered: in the main thread by the database, elsewhere by asking it. */
export interface Desk extends KeySource {
  findToken(hash: string): Promise<StoredToken | undefined>
  /** What the key was served this month, what is still in the journal included. */
  served(keyId: number): Promise<number>
  /** They were used just now. */
  noteUses(keyIds: readonly number[]): Promise<void>
}

interface DeskDeps {
  readonly directory: Pick<Directory, 'findByDigest' | 'findById'>
  readonly oauth: { findStored: Desk['findToken'] }
  readonly lastUsed: Pick<LastUsed, 'noteAll'>
  readonly served: Desk['served']
}

/** In the main thread. Tokens are read anew, because whoever asks remembers them by itself. */
export function createDesk({ directory, oauth, lastUsed, served }: DeskDeps): Desk {
  return {
    findSecret: async (digest, prefix) => toFound(await directory.findByDigest(digest, prefix)),
    findKey: async (id) => toFound(await directory.findById(id)),
    findToken: oauth.findStored,
    served,
    noteUses: async (keyIds) => lastUsed.noteAll(keyIds),
  }
}

function toFound(found: FoundSecret | null): FoundKey | null {
  return found && { stored: found.known.stored, validUntilMs: found.validUntilMs }
}

/** The main thread's end. It never rejects: the thread that asks must hear something. */
export function answerFrom(desk: Desk) {
  return async (question: AccessQuestion): Promise<AccessAnswer> => {
    try {
      return await answer(question)
    } catch {
      return { about: 'nothing' }
    }
  }

  async function answer(question: AccessQuestion): Promise<AccessAnswer> {
    switch (question.about) {
      case 'secret':
        return { about: 'key', found: await desk.findSecret(question.digest, question.prefix) }
      case 'key':
        return { about: 'key', found: await desk.findKey(question.id) }
      case 'token':
        return { about: 'token', token: await desk.findToken(question.hash) }
      case 'served':
        return { about: 'served', cost: await desk.served(question.keyId) }
      case 'uses':
        await desk.noteUses(question.keyIds)
        return { about: 'uses' }
    }
  }
}

/** The other end. */
export function createRemoteDesk(ask: (question: AccessQuestion) => Promise<AccessAnswer>): Desk {
  return { findSecret, findKey, findToken, served, noteUses }

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

  async function served(keyId: number) {
    const answer = await ask({ about: 'served', keyId })
    if (answer.about === 'served') return answer.cost
    throw unavailable('limits_unavailable', 'Limits cannot be checked at the moment')
  }

  async function noteUses(keyIds: readonly number[]) {
    const answer = await ask({ about: 'uses', keyIds })
    if (answer.about !== 'uses') throw new Error('the main thread cannot note uses')
  }
}
