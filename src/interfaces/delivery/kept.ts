import { queryTextOf, weakEtag } from '#kernel'
import type { Request } from './asked.ts'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'

/** What a read answers, and the types it was made from; null: it depends on more than entries. */
export interface Read {
  readonly text: string
  readonly typeNos: readonly number[] | null
  readonly headers?: Readonly<Record<string, string>>
}

const PLAIN_TAG = /^\s*[\w-]{2,35}\s*$/

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content: { answers } }: Pick<DeliveryDeps, 'content'>) {
  const numbers = new WeakMap<DeliverySettings, number>()
  let settingsSeen = 0
  return async (from: Request, read: () => Promise<Read>): Promise<Buffer> => {
    const { reply } = from
    setCaching(from)
    const key = keyOf(from)
    const known = answers.find(key)
    if (known) {
      reply.headers(known.headers)
      return known.body
    }
    const since = answers.ask()
    const { text, typeNos, headers: own } = await read()
    const body = Buffer.from(text)
    const headers = { etag: weakEtag(body), ...own }
    reply.headers(headers)
    if (typeNos) answers.keep(key, since, typeNos, { body, headers })
    return body
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf({ request, caller, model, settings }: Request): string {
    const { headers, raw } = request
    const [path = ''] = (raw.url ?? '').split('?', 1)
    const language = headers['accept-language'] ?? ''
    const wished = PLAIN_TAG.test(language) ? language.trim() : ''
    const seen = `${caller.viewer.level} ${caller.isPreview} ${model.revision} ${numberOf(settings)}`
    const start = JSON.stringify(headers['start-item'] ?? '')
    return `delivery ${seen} ${wished} ${start} ${path}?${queryTextOf(request)}`
  }

  /** Settings are another object when one of them has changed. */
  function numberOf(settings: DeliverySettings): number {
    const known = numbers.get(settings) ?? ++settingsSeen
    numbers.set(settings, known)
    return known
  }
}

/** Contract §10. */
function setCaching({ reply, caller }: Request): void {
  const shared = caller.isAnybody ? 'public, no-cache' : 'private, no-cache'
  reply.header('cache-control', caller.isPreview ? 'no-store' : shared)
}
