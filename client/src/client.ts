import { createCollection } from './collection.ts'
import { createEntryTags } from './entry-tags.ts'
import { type EventOptions, followEvents, type LiveEvent } from './events.ts'
import type { AnyContent, Content, NamesOf } from './model.ts'
import { type ClientOptions, createSend, parseJson, type RequestOptions } from './request.ts'
import { createSingle } from './single.ts'

/**
 * A client of one server. `Content` is what `npx entrepot types` wrote down of its content types; without
 * it every name and every member is taken as it is.
 */
export function createClient<C extends Content<C> = AnyContent>(options: ClientOptions) {
  const send = createSend(options)
  const means = { send, tags: createEntryTags() }
  return {
    collection: <T extends NamesOf<C, 'collection'>>(type: T) =>
      createCollection<C, T>(type, means),
    single: <T extends NamesOf<C, 'single'>>(type: T) => createSingle<C, T>(type, means),
    events,
    request,
  }

  /** Events as they happen; a broken connection is resumed after the last event that was received. */
  function events<Data = Readonly<Record<string, unknown>>>(
    given: EventOptions = {},
  ): AsyncGenerator<LiveEvent<Data>, void, undefined> {
    return followEvents<Data>(send, given)
  }

  /** Any other operation of the server; resolves with the parsed JSON, null when there is no body. */
  async function request<Answer = unknown>(
    method: string,
    path: string,
    given: RequestOptions = {},
  ): Promise<Answer> {
    return parseJson(await send(method, path, given))
  }
}

export type Client<C extends Content<C> = AnyContent> = ReturnType<typeof createClient<C>>
