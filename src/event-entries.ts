/** Entries for webhooks that ask for them: what content, access and the versioned API say together. */
import type { createConsumers } from '#access-jobs'
import type { ContentReading } from '#content-jobs'

interface Deps {
  readonly content: ContentReading
  readonly consumers: Pick<ReturnType<typeof createConsumers>, 'mayGet'>
}

interface About {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

export function createEventEntries({ content, consumers }: Deps) {
  return { isAboutEntry, render, readers }

  function isAboutEntry(event: About): boolean {
    return content.entryOf(event) !== undefined
  }

  /** The API's own renderer is loaded when a subscription asks for an entry for the first time. */
  async function render(event: About): Promise<string | null> {
    const about = content.entryOf(event)
    if (!about) return null
    const { readEntryText } = await import('#rest')
    return (await readEntryText(content, about)) ?? null
  }

  /** By the path of our own making: what an event says of its URL may be anybody's word. */
  async function readers(event: About, consumerIds: readonly string[]) {
    const about = content.entryOf(event)
    return about ? consumers.mayGet(about.path, consumerIds) : new Set<string>()
  }
}
