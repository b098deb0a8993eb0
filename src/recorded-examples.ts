/**
 * Examples of the reference, as tests recorded them (docs/decisions/0150). They are read when a document is made and
 * not kept: nobody asks for one most of the time.
 */
import { readFile } from 'node:fs/promises'
import type { ContentModel } from '#content-model'
import type { Example, ExampleOf } from '#http'
import { createTypeExamples, type Reference } from './type-examples.ts'

/** As `scripts/examples/write.ts` makes it. */
interface ExampleFile {
  /** The type that operations of content types were recorded with. */
  readonly reference?: Reference
  /** By method and path: `get /api/v1/keys/{id}`, of content types `get /api/v1/{type}`. */
  readonly operations: Readonly<Record<string, Example>>
}

const FILES: Readonly<Record<string, string>> = {
  '/api/v1/openapi.json': 'rest',
  '/openapi/cms.json': 'cms',
  '/openapi/jsonapi.json': 'jsonapi',
  '/cms/openapi/delivery.json': 'delivery',
  '/openapi/commerce.json': 'commerce',
  '/openapi/gateway.json': 'gateway',
}

/** So many more would make a document of megabytes longer by half. */
const MOST_TYPES = 200

/** What operations of the document at this path look like in use. */
export async function readExamples(document: string, model: ContentModel): Promise<ExampleOf> {
  const { reference, operations } = await readFileOf(document)
  const ofTypes =
    reference && model.types.length <= MOST_TYPES
      ? createTypeExamples({ reference, operations, model })
      : undefined
  return (method, path) => operations[`${method} ${path}`] ?? ofTypes?.(method, path)
}

async function readFileOf(document: string): Promise<ExampleFile> {
  const name = FILES[document]
  if (name === undefined) return { operations: {} }
  const text = await readFile(new URL(`./recorded-examples/${name}.json`, import.meta.url), 'utf8')
  return JSON.parse(text)
}
