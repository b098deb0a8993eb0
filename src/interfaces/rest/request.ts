import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyRequired } from '#access'
import { type Entry, type EntryTarget, type Read, sendRead, type Viewer, viewerOf } from '#content'
import { codeIn, entryTag } from '#content-dialect'
import {
  type ContentQuery,
  firstPage,
  type LocaleChoice,
  type OneQuery,
  oneOf,
  type Question,
  type Slots,
  type Values,
} from '#content-query'
import { queryTextOf } from '#http-text'
import { type Actor, notFound } from '#kernel'
import { reportUnknown } from '#paging'
import { FILTERS, refuseFilters, type Split, splitQuery } from './query/parameters.ts'
import type { Context, View } from './query/parse.ts'
import { renderRecord } from './render/entry.ts'
import type { Address, Resource } from './target.ts'

/** One request to a content resource, read once. */
export interface Asked {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly resource: Resource
  /** The query, taken apart. */
  readonly split: Split
  /** The query as it was sent, for whoever asks it once. */
  readonly context: Context
  readonly actor: Actor
  readonly viewer: Viewer
}

export function read(request: FastifyRequest, reply: FastifyReply, resource: Resource): Asked {
  const { actor } = request
  if (!actor) throw keyRequired()
  const { model, type, version } = resource
  const split = splitQuery(queryTextOf(request), type.draftAndPublish)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  // Of a change nothing may be done before all of its query was read.
  let context = isRead ? undefined : contextOf()
  return {
    request,
    reply,
    resource,
    split,
    actor,
    viewer: viewerOf(request),
    get context() {
      context ??= contextOf()
      return context
    },
  }

  function contextOf(): Context {
    return { model, type, version, parameters: split.read() }
  }
}

/** What `read` makes of the query; `values` are those besides it, the first of them at `from`. */
export function questionOf<Read>(
  { split, resource }: Asked,
  kind: string,
  values: Values,
  read: (context: Context, slots: Slots, from: number) => Read,
): Question<Read> {
  const { model, type, version } = resource
  return {
    model,
    template: `${kind} ${version} ${type.no} ${split.template}`,
    values: [...split.values, ...values],
    read: (slots) =>
      read({ model, type, version, parameters: split.read(slots) }, slots, split.values.length),
  }
}

/** The record of an address, its id among the values. */
export function addressed(address: Address) {
  const { kind } = address
  const id = kind === 'id' ? [address.id] : kind === 'document' ? [address.documentId] : []
  return { kind, values: id, toQuery }

  function toQuery(query: OneQuery, slots: Slots, at: number): ContentQuery {
    switch (kind) {
      case 'single':
        return { ...query, search: '', sort: [], page: FIRST }
      case 'id':
        return oneOf(query, { id: slots.whole(at) })
      case 'document':
        return oneOf(query, { documentId: slots.text(at), locale: codeIn(query.locale) })
      case 'nothing':
        throw notFound()
    }
  }
}

export const FIRST = firstPage(1)

/** Names that nobody understood, in a header or, when the caller is strict, as a refusal. */
export function reportIgnored({ request, reply, split }: Asked, known: readonly string[]): void {
  if (!known.includes(FILTERS)) refuseFilters(split)
  reportUnknown(request, reply, split.names, known)
}

/** The variant that the path and `locale` choose; singles have no id in their path. */
export function targetOf(
  address: Exclude<Address, { kind: 'single' }>,
  locale: LocaleChoice,
): EntryTarget {
  if (address.kind === 'id') return { id: address.id }
  if (address.kind === 'nothing') throw notFound()
  return { documentId: address.documentId, locale: codeIn(locale) }
}

const JSON_TYPE = 'application/json; charset=utf-8'

export function answerRead({ request, reply }: Asked, read: Read): Buffer {
  reply.type(JSON_TYPE)
  return sendRead(request, reply, read)
}

/** Text that is JSON already. */
export function sendJson(reply: FastifyReply, text: string): string {
  reply.type(JSON_TYPE)
  return text
}

/** `{ "data": record }` with its strong tag, unless other records are in it too, and with what is to be said besides. */
export function sendRecord(
  reply: FastifyReply,
  entry: Entry,
  view: View,
  hasIncluded: boolean,
  meta?: object,
): string {
  const rest = meta ? `,"meta":${JSON.stringify(meta)}` : ''
  const body = `{"data":${renderRecord(entry, view)}${rest}}`
  if (!hasIncluded) reply.header('etag', entryTag(entry, body))
  return sendJson(reply, body)
}
