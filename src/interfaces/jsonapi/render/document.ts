import { JSONAPI } from '../errors.ts'
import { renderLink } from './view.ts'

const HEAD = `{"jsonapi":${JSON.stringify(JSONAPI)},`

interface Document {
  /** JSON: an object, a list or null. */
  readonly data: string
  /** Undefined when nothing was asked to be included. */
  readonly included?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  readonly links: Readonly<Record<string, string>>
}

/** A whole document; links are given as URLs. */
export function renderDocument({ data, included, meta, links }: Document): string {
  const more = included === undefined ? '' : `,"included":[${included.join(',')}]`
  const about = meta === undefined ? '' : `,"meta":${JSON.stringify(meta)}`
  return `${HEAD}"data":${data}${more}${about},"links":${renderLinks(links)}}`
}

function renderLinks(links: Readonly<Record<string, string>>): string {
  const members = Object.entries(links).map(
    ([name, href]) => `${JSON.stringify(name)}:${renderLink(href)}`,
  )
  return `{${members.join(',')}}`
}
