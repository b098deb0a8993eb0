// Chooses for each operation of the documents one of the exchanges that tests had.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Exchange } from './exchange.ts'
import { isLike, tidy } from './tidy.ts'

/** Documents by the names of their files of examples. */
const DOCUMENTS = {
  rest: 'api-v1-openapi.json',
  cms: 'openapi-cms.json',
  jsonapi: 'openapi-jsonapi.json',
  delivery: 'cms-openapi-delivery.json',
  commerce: 'openapi-commerce.json',
  gateway: 'openapi-gateway.json',
}
/** Those with operations for each content type. */
const TYPED = ['rest', 'cms', 'jsonapi']
const OPERATIONS = ['get', 'put', 'post', 'delete', 'patch']
/** What examples of other content types are made from; the test `type-operations.ts` has values for all of it. */
const REFERENCE = {
  singularName: 'article',
  pluralName: 'articles',
  attributes: {
    ...{ title: 'string', slug: 'uid', body: 'richtext', kind: 'enumeration', rank: 'integer' },
    ...{ big: 'biginteger', price: 'decimal', ratio: 'float', flag: 'boolean', day: 'date' },
    ...{ clock: 'time', moment: 'datetime', words: 'tags', extra: 'json', mail: 'email' },
    ...{ link: 'link', author: 'relation', related: 'relations', cover: 'media' },
    ...{ seo: 'component', parts: 'components' },
  },
}
const OF_TYPES = /^\/(api|api\/v[12]|jsonapi\/node)\/(articles?|\{type\})(\/|$)/
const OF_OTHER_TYPES = /^\/(api|api\/v[12]|jsonapi\/node)\/(authors?|home|products?)(\/|$)/
/** Answered as lists and entries of the other type are. */
const RELATED = /^\/(api\/v[12]|jsonapi\/node)\/articles?\/\{id\}\/(author|related|articles)$/
/** Longer ones are read by nobody. */
const GOOD_CHARACTERS = 2_500

interface Recorded extends Exchange {
  readonly area: string
}

/** The operations that no test had an exchange with. */
export function writeExamples(recorded: string, target: string): string[] {
  const exchanges = readAll(recorded)
  const missing: string[] = []
  for (const [name, file] of Object.entries(DOCUMENTS)) {
    const { paths } = JSON.parse(readFileSync(join(recorded, `document-${file}`), 'utf8'))
    const chosen = chooseAll(paths, exchanges)
    missing.push(...chosen.missing.map((operation) => `${name}: ${operation}`))
    const isTyped = TYPED.includes(name)
    const contents = { ...(isTyped ? { reference: REFERENCE } : {}), operations: chosen.operations }
    writeFileSync(join(target, `${name}.json`), `${JSON.stringify(contents, null, 1)}\n`)
  }
  return missing
}

/** The operations whose example has other members than any exchange that tests had. */
export function checkExamples(recorded: string, target: string): string[] {
  const exchanges = readAll(recorded)
  return Object.entries(DOCUMENTS).flatMap(([name, file]) => {
    const { paths } = JSON.parse(readFileSync(join(recorded, `document-${file}`), 'utf8'))
    const stored: Record<string, object> = JSON.parse(
      readFileSync(join(target, `${name}.json`), 'utf8'),
    ).operations
    const seen = candidatesOf(paths, exchanges)
    const isSeen = ([key, example]: [string, object]) =>
      (seen.get(key) ?? []).some((each) => isLike(toExample(each), example))
    return Object.entries(stored)
      .filter((each) => !isSeen(each))
      .map(([key]) => `${name}: ${key} is answered in another way than its example says`)
  })
}

function readAll(recorded: string): Recorded[] {
  return globSync(join(recorded, '*.ndjson')).sort().flatMap(readExchanges)
}

function readExchanges(file: string): Recorded[] {
  const area = basename(file).replace(/-\d+\.ndjson$/, '')
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => ({ ...JSON.parse(line), area }))
}

type Paths = Readonly<Record<string, Readonly<Record<string, { requestBody?: object }>>>>

function chooseAll(paths: Paths, exchanges: readonly Recorded[]) {
  const operations: Record<string, object> = {}
  const missing: string[] = []
  for (const [key, candidates] of candidatesOf(paths, exchanges)) {
    const best = choose(candidates)
    if (best) operations[key] ??= best
    else missing.push(key)
  }
  return { operations: sorted(operations), missing }
}

/** By operation; of content types only what was recorded with the reference. */
function candidatesOf(paths: Paths, exchanges: readonly Recorded[]): Map<string, Recorded[]> {
  const templates = Object.keys(paths).filter(
    (path) => !OF_OTHER_TYPES.test(path) && !RELATED.test(path),
  )
  const byTemplate = Map.groupBy(exchanges, ({ path }) => templateFor(templates, path))
  const found = new Map<string, Recorded[]>()
  for (const template of templates) {
    const own = (byTemplate.get(template) ?? []).filter(
      ({ area }) => area === 'operation' || !OF_TYPES.test(template),
    )
    for (const method of OPERATIONS.filter((each) => paths[template]?.[each])) {
      const fitting = own.filter((each) => each.method.toLowerCase() === method)
      found.set(`${method} ${generalized(template)}`, fitting)
    }
  }
  return found
}

/** The one with the fewest parameters: `/keys/me` is not one of `/keys/{id}`. */
function templateFor(templates: readonly string[], path: string): string | undefined {
  const steps = stepsOf(path.replace(/^\/(?=V1\/|async\/)/, '/rest/'))
  const fitting = templates.filter((template) => {
    const own = stepsOf(template)
    return (
      own.length === steps.length &&
      own.every((step, at) => step === steps[at] || (/^\{/.test(step) && steps[at] !== ''))
    )
  })
  const parameters = (template: string) => template.split('{').length
  return fitting.sort((one, other) => parameters(one) - parameters(other))[0]
}

function stepsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/')
}

function choose(candidates: readonly Recorded[]): object | undefined {
  const worth = ({ request, response }: Exchange) => {
    const length = JSON.stringify([tidy(request), tidy(response)]).length
    return length > GOOD_CHARACTERS ? -length : length
  }
  // A schema as a value would be taken for a part of the document.
  const usable = candidates.filter((each) => !JSON.stringify(each).includes('"$ref"'))
  const sending = usable.filter(({ request }) => request !== undefined)
  const [best] = (sending.length > 0 ? sending : usable).toSorted(
    (one, other) => worth(other) - worth(one),
  )
  return best && toExample(best)
}

function toExample({ status, request, response }: Exchange): object {
  return {
    status,
    ...(request === undefined ? {} : { request: tidy(request) }),
    ...(response === undefined ? {} : { response: tidy(response) }),
  }
}

function generalized(template: string): string {
  if (!OF_TYPES.test(template)) return template
  return template
    .replace(/\/articles?(?=\/|$)/, '/{type}')
    .replace(/\/cover$/, '/{media}')
    .replace(/\/relationships\/author$/, '/relationships/{relation}')
    .replace(/\/relationships\/related$/, '/relationships/{relations}')
}

function sorted(operations: Record<string, object>): Record<string, object> {
  return Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1)))
}
