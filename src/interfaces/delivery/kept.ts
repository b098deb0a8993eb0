import type { Read } from '#content'
import type { Request } from './asked.ts'
import type { DeliveryDeps, DeliverySettings } from './deps.ts'

const PLAIN_TAG = /^\s*[\w-]{2,35}\s*$/

/** Reads are answered again from memory until something they show has changed. */
export function createKept({ content, settings }: Pick<DeliveryDeps, 'content' | 'settings'>) {
  const numbers = new WeakMap<DeliverySettings, number>()
  let settingsSeen = 0
  return (from: Request, read: () => Promise<Read>): Promise<Buffer> => {
    const { request, reply, caller, model } = from
    setCaching(from)
    // Who is let in by address is not anybody: what was made for one here is given to no other.
    const holds = () =>
      caller.isAnybody && content.model() === model && settings() === from.settings
    return content.kept({ request, reply, key: keyOf(from), holds }, read)
  }

  /** Everything but the stored entries that an answer depends on. */
  function keyOf({ request, caller, model, settings, query }: Request): string {
    const { headers, raw } = request
    const [path = ''] = (raw.url ?? '').split('?', 1)
    const language = headers['accept-language'] ?? ''
    const wished = PLAIN_TAG.test(language) ? language.trim() : ''
    const seen = `${caller.viewer.level} ${caller.isPreview} ${model.revision} ${numberOf(settings)}`
    const start = JSON.stringify(headers['start-item'] ?? '')
    return `delivery ${seen} ${wished} ${start} ${path}?${query}`
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
