import Type, { type TSchema } from 'typebox'
import { definitionSchema } from './definition/definition.ts'

// For the reference: bodies are checked by `definition/`, which reports every problem at once.

const AnyObject = Type.Object({}, { additionalProperties: true })

export const NewScraper = definitionSchema(['name', 'url'])
/** It needs no name, because nothing is stored. */
export const PreviewedScraper = definitionSchema(['url'])
export const ScraperChange = definitionSchema([])
export const Scraper = AnyObject
export const Run = AnyObject
export const Line = AnyObject
export const Pool = AnyObject
export const NewPool = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  strategy: Type.Optional(Type.Enum(['round_robin', 'random', 'sticky_host'])),
  proxies: Type.Optional(Type.Array(Type.String())),
})
export const PoolChange = Type.Partial(NewPool)

export const Started = Type.Object({ run_id: Type.Integer(), status: Type.Literal('started') })
export const Stopped = Type.Object({
  run_id: Type.Integer(),
  status: Type.Enum(['stopped', 'stopping']),
})
export const Status = Type.Object({
  id: Type.Integer(),
  status: Type.String(),
  last_run: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  items_count: Type.Integer(),
  run_id: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  next_run_at: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
})

export function listOf<S extends TSchema>(schema: S) {
  return Type.Object({ data: Type.Array(schema), meta: AnyObject })
}
