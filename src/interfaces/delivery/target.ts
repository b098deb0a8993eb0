import type { FastifyRequest } from 'fastify'
import { decodeText } from '#content-dialect'
import { notDelivered } from './errors.ts'
import type { Part } from './request/access.ts'
import { parseUuid } from './target/delivered.ts'

export const MOUNT = '/cms/delivery/api/v2'

/** What a path below the mount names. */
export interface Target {
  readonly part: Part
  readonly what: What
  /** As the usage record names it. */
  readonly template: string
}

type What =
  | { readonly kind: 'list' }
  | { readonly kind: 'items' }
  | { readonly kind: 'id'; readonly id: string }
  /** Decoded once; slashes at its ends and doubled ones do not matter. */
  | { readonly kind: 'path'; readonly path: string }

const FORM = /^\/+(content|media)(?:\/+(items|item)(?:\/(.*)|$)|\/*$)/s
const HAS_ID = /(?:^|&)id(?:\[\d*\]|%5B\d*%5D)?=/i

/** Undefined when there is nothing at this path. */
export function findTarget({ raw }: FastifyRequest): Target | undefined {
  const url = raw.url ?? ''
  const end = url.indexOf('?')
  const path = (end === -1 ? url : url.slice(0, end)).slice(MOUNT.length)
  const [, word, below, rest] = FORM.exec(path) ?? []
  if (word === undefined) return undefined
  const part = word === 'media' ? 'media' : 'content'
  const what = whatOf(below, rest ?? '', end === -1 ? '' : url.slice(end + 1))
  return what && { part, what, template: `${MOUNT}/${part}${templateOf(what)}` }
}

function whatOf(below: string | undefined, rest: string, query: string): What | undefined {
  if (below === undefined) return { kind: 'list' }
  const decoded = decodeText(rest)
  if (decoded === undefined) throw notDelivered()
  const path = decoded
    .normalize('NFC')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/^\/|\/$/g, '')
  if (below === 'items') return path === '' ? { kind: 'items' } : undefined
  // Older clients ask `/item?id=…&id=…` for several.
  if (path === '' && HAS_ID.test(query)) return { kind: 'items' }
  const id = parseUuid(path)
  return id === undefined ? { kind: 'path', path } : { kind: 'id', id }
}

function templateOf({ kind }: What): string {
  if (kind === 'list') return ''
  return kind === 'items' ? '/items' : `/item/{${kind}}`
}
