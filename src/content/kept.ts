import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Replay, type ReplayMemory, weakEtag } from '#kernel'
import { type Answers, createAnswers, type Kept } from './answers.ts'
import type { Freshness } from './freshness.ts'

/** What a read answers, and the types it was made from; null: it depends on more than entries. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[] | null
  /** Those that belong to it; a weak tag is made unless one is here or set. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Question {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Everything but the stored entries that the answer depends on; undefined: it is not kept. */
  readonly key: string | undefined
  /** Whether what the key says besides the request itself is still so: the model, settings. */
  holds(): boolean
}

/** A body with the headers that belong to it. */
interface Answer {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

interface HeldReplay extends Replay {
  holds(): boolean
}

interface Deps {
  readonly freshness: Pick<Freshness, 'now' | 'isUnchanged'>
  readonly maxAgeMs: number
  readonly maxBytes: number
}

/** Other headers are of the exchange, of the caller or of the version. */
const OWN_HEADERS = ['etag', 'link', 'x-total-count', 'x-ignored-parameters']

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ freshness, maxAgeMs, maxBytes }: Deps) {
  const share = { freshness, maxAgeMs, maxBytes: maxBytes / 2 }
  const answers: Answers<Answer> = createAnswers(share)
  const replays: Answers<HeldReplay> = createAnswers(share)
  const memory: ReplayMemory = { find: findReplay }
  return { kept, memory }

  async function kept(question: Question, read: () => Promise<Read>): Promise<Buffer> {
    const { key, reply } = question
    const known = key === undefined ? undefined : answers.find(key)
    if (known) {
      reply.headers(known.answer.headers)
      allowReplay(question, known)
      return known.answer.body
    }
    const asked = answers.ask()
    const { text, typeNos, headers = {} } = await read()
    const body = Buffer.from(text)
    reply.headers(headers)
    if (!reply.hasHeader('etag')) reply.header('etag', weakEtag(body))
    if (key === undefined || typeNos === null) return body
    const fresh = {
      ...asked,
      typeNos,
      answer: { body, headers: { ...headers, ...ownHeaders(reply) } },
    }
    answers.keep(key, fresh)
    allowReplay(question, fresh)
    return body
  }

  function allowReplay(question: Question, { since, atMs, typeNos }: Kept<Answer>) {
    const { request, holds } = question
    if (maxBytes === 0) return
    request.remember = (asked, replay) =>
      replays.keep(asked, { since, atMs, typeNos, answer: { ...replay, holds } })
  }

  function findReplay(question: string): Replay | undefined {
    const known = replays.find(question)
    return known?.answer.holds() ? known.answer : undefined
  }
}

export type AnswerKeeper = ReturnType<typeof createKept>

function ownHeaders(reply: FastifyReply): Record<string, string> {
  const given = OWN_HEADERS.filter((name) => reply.hasHeader(name))
  return Object.fromEntries(given.map((name) => [name, String(reply.getHeader(name))]))
}
