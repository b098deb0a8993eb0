import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Question as Asked,
  createRecent,
  type Replay,
  type ReplayMemory,
  type Samples,
  toReplay,
  toSample,
  weakEtag,
} from '#kernel'
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
  /**
   * Reads the same with another query and without a credential, while the above holds; what else an
   * answer shows in headers of its own, the read must tell.
   */
  again?(query: string): Promise<Read>
}

/** A body with the headers that belong to it. */
interface Answer {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

interface HeldReplay extends Replay {
  holds(): boolean
}

/** Where something public was read, and how to read there again. */
interface Place extends Required<Pick<Question, 'holds' | 'again'>> {
  readonly samples: Samples
}

const PLACES_KEPT = 500

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
  const places = createRecent<string, Place>(PLACES_KEPT)
  const memory: ReplayMemory = { find: findReplay, make }
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

  function allowReplay(question: Question, { since, atMs, typeNos, answer }: Kept<Answer>) {
    const { request, holds, again } = question
    if (maxBytes === 0 && !again) return
    request.remember = ({ text, place }, replay) => {
      replays.keep(text, { since, atMs, typeNos, answer: { ...replay, holds } })
      if (again && hasOnlyTag(answer)) keepPlace(place, { holds, again }, replay)
    }
  }

  function keepPlace(place: string, how: Omit<Place, 'samples'>, replay: Replay): void {
    const sample = toSample(replay)
    if (!sample) return
    const known = places.find(place)
    const samples = known?.holds() ? { ...known.samples, ...sample } : sample
    places.keep(place, { ...how, samples })
  }

  function findReplay(question: string): Replay | undefined {
    const known = maxBytes === 0 ? undefined : replays.find(question)
    return known?.answer.holds() ? known.answer : undefined
  }

  function make(question: Asked): Promise<Replay | undefined> | undefined {
    const place = places.find(question.place)
    return place?.holds() ? makeAt(place, question) : undefined
  }

  async function makeAt(place: Place, { text: question, query }: Asked) {
    const { holds, samples } = place
    const asked = answers.ask()
    const { text, typeNos, headers } = await place.again(query)
    const made = toReplay(samples, text, headers)
    const replay = made instanceof Promise ? await made : made
    if (replay && typeNos)
      replays.keep(question, { ...asked, typeNos, answer: { ...replay, holds } })
    return replay
  }
}

export type AnswerKeeper = ReturnType<typeof createKept>

/** Others may not have the headers that it has besides. */
function hasOnlyTag({ headers }: Answer): boolean {
  return Object.keys(headers).every((name) => name === 'etag')
}

function ownHeaders(reply: FastifyReply): Record<string, string> {
  const given = OWN_HEADERS.filter((name) => reply.hasHeader(name))
  return Object.fromEntries(given.map((name) => [name, String(reply.getHeader(name))]))
}
