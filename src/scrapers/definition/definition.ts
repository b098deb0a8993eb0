import Type, { type TSchema } from 'typebox'
import { checkCron } from '#cron'
import type { Issue } from '#kernel'
import { isObject } from '#kernel'
import { checkGlob } from '../glob.ts'
import { FIELD_RULE, type FieldRule, readFieldRule, writeFieldRule } from './field-rule.ts'
import {
  flag,
  named,
  oneOf,
  readText,
  text,
  textOrNull,
  texts,
  whole,
  wholeOrNull,
} from './kinds.ts'
import {
  createProblems,
  type Members,
  type Parsed,
  type Problems,
  type Refuse,
  readMembers,
  schemaOf,
  writeMembers,
} from './members.ts'
import { checkNativeSelector, checkSelector } from './selectors.ts'
import {
  checkFieldName,
  checkHeaderName,
  checkHeaderValue,
  checkTimezone,
  checkUrl,
  URL_RULE,
} from './texts.ts'

const MAX_NAME = 200
const MAX_HEADER = 8_192
const MAX_HEADERS = 50
const MAX_START_URLS = 1_000
const MAX_PATTERNS = 200
const MAX_FIELDS = 200

const globs = texts({ max: 500, maxItems: MAX_PATTERNS, check: checkGlob })
const PATH = { max: 500 }

const CRAWL = {
  follow: oneOf(['none', 'origin', 'host', 'domain', 'any'], 'origin'),
  max_depth: whole(0, 100, 3),
  max_pages: whole(1, 1_000_000, 100),
  max_items: wholeOrNull(1, Number.MAX_SAFE_INTEGER),
  max_duration_seconds: whole(1, 604_800, 3_600),
  include: globs,
  exclude: globs,
  sitemap: oneOf(['off', 'include', 'only'], 'off'),
  robots: oneOf(['respect', 'ignore'], 'respect'),
  concurrency: whole(1, 64, 4),
  delay_ms: whole(0, 3_600_000, 0),
  timeout_seconds: whole(1, 300, 30),
  max_retries: whole(0, 10, 2),
  max_body_bytes: whole(1, 1_073_741_824, 10_485_760),
  strip_params: texts({ max: 200, maxItems: MAX_PATTERNS }, ['utm_*', 'gclid', 'fbclid']),
  incremental: flag(false),
  render: oneOf(['http', 'browser'], 'http'),
  wait_for: textOrNull({ max: 1_000, check: checkNativeSelector }),
  load_media: flag(false),
} satisfies Members

const EXTRACT = {
  mode: oneOf(['auto', 'fields', 'both'], 'auto'),
  item_selector: textOrNull({ max: 1_000, isFree: true, check: checkSelector }),
  item_path: textOrNull(PATH),
  match: globs,
  key: textOrNull(PATH),
  fields: named<FieldRule>({
    schema: FIELD_RULE,
    max: MAX_FIELDS,
    name: checkFieldName,
    read: readFieldRule,
  }),
} satisfies Members

/** What an attribute of an entry is made from: a member of the item's data, or a constant. */
type Source = { readonly from: string } | { readonly const: unknown }

const OUTPUT = {
  collection: text({ max: 100 }, ''),
  map: named<Source>({
    schema: Type.Unsafe<unknown>({
      anyOf: [{ type: 'string' }, { type: 'object', required: ['const'] }],
    }),
    max: MAX_FIELDS,
    name: checkFieldName,
    read: readSource,
  }),
  media: named<string>({
    schema: Type.String({ minLength: 1, maxLength: PATH.max }),
    max: MAX_FIELDS,
    name: checkFieldName,
    read: (value, refuse) => readText(value, refuse, PATH),
  }),
  key: text(PATH, 'url'),
  publish: flag(true),
  locale: textOrNull({ max: 35 }),
  create: flag(false),
  on_missing: oneOf(['keep', 'unpublish', 'delete'], 'keep'),
  on_edited: oneOf(['keep', 'overwrite'], 'keep'),
} satisfies Members

const SCRAPER = {
  name: { ...text({ max: MAX_NAME }, ''), read: readName },
  url: text(URL_RULE, ''),
  schedule: { ...textOrNull({ max: 200 }), read: readSchedule },
  proxy_pool: textOrNull({ max: 100 }),
  rate_limit: whole(1, 1_000, 5),
  headers: named<string>({
    schema: Type.String({ maxLength: MAX_HEADER }),
    max: MAX_HEADERS,
    name: checkHeaderName,
    read: readHeader,
  }),
  timezone: text({ max: 100, check: checkTimezone }, 'UTC'),
  schedule_enabled: flag(true),
  start_urls: texts({ max: URL_RULE.max, maxItems: MAX_START_URLS, check: checkUrl }),
} satisfies Members

export type Crawl = Parsed<typeof CRAWL>
export type Extract = Parsed<typeof EXTRACT>
export type Output = Parsed<typeof OUTPUT>

/** What a scraper is told to do (scrapers contract §1). */
export interface Definition extends Parsed<typeof SCRAPER> {
  readonly crawl: Crawl
  readonly extract: Extract
  readonly output: Output | null
}

type Body = Readonly<Record<string, unknown>>

/** Shown in a record and assigned by the server: sent back, they are passed over. */
const SERVER_ASSIGNED = new Set([
  'id',
  'status',
  'next_run_at',
  'user_id',
  'created_at',
  'updated_at',
])
const INNER = new Set(['crawl', 'extract', 'output'])
const PASSED_OVER = new Set([...SERVER_ASSIGNED, ...INNER])

/**
 * A definition, or all that is wrong with it. With a base it is a change: what is absent stays,
 * `crawl`, `extract` and `output` are merged one level deep, null resets (scrapers contract §1.1).
 */
export function readDefinition(
  body: Body,
  base?: Definition,
  isStored = false,
): { readonly definition: Definition; readonly issues: readonly Issue[] } {
  const problems = createProblems()
  const own = readMembers({
    ...{ members: SCRAPER, body, base, problems, path: [], isStored },
    passedOver: PASSED_OVER,
  })
  for (const name of ['name', 'url'] as const) {
    const isMissing = body[name] === null || (base === undefined && body[name] === undefined)
    if (isMissing) problems.at([name])('required', 'is required')
  }
  const crawl = readInner({ members: CRAWL, name: 'crawl', body, base: base?.crawl, problems })
  refuseWithoutBrowser(crawl, problems)
  const extract = readInner({
    ...{ members: EXTRACT, name: 'extract', body, base: base?.extract, problems },
  })
  const definition = { ...own, crawl, extract, output: readOutput(body, base, problems) }
  return { definition, issues: problems.issues }
}

interface InnerReading<M extends Members> {
  readonly members: M
  readonly name: string
  readonly body: Body
  readonly base: Parsed<M> | undefined
  readonly problems: Problems
}

function readInner<M extends Members>({ members, name, body, base, problems }: InnerReading<M>) {
  const given = body[name]
  const path = [name]
  if (given === null) return readMembers({ members, body: {}, problems, path })
  if (given === undefined) return readMembers({ members, body: {}, base, problems, path })
  if (isObject(given)) return readMembers({ members, body: given, base, problems, path })
  problems.at(path)('type', 'must be an object')
  return readMembers({ members, body: {}, problems, path })
}

function readOutput(body: Body, base: Definition | undefined, problems: Problems): Output | null {
  const given = body['output']
  if (given === null) return null
  if (given === undefined) return base?.output ?? null
  const before = base?.output ?? undefined
  const output = readInner({ members: OUTPUT, name: 'output', body, base: before, problems })
  if (output.collection === '') problems.at(['output', 'collection'])('required', 'is required')
  for (const name of output.media?.keys() ?? []) {
    if (!output.map?.has(name)) continue
    problems.at(['output', 'media', name])('conflict', 'is in output.map too')
  }
  return output
}

/** What only a browser does would have no effect without one. */
function refuseWithoutBrowser({ render, waitFor, loadMedia }: Crawl, problems: Problems) {
  if (render === 'browser' || render === undefined) return
  const refuse = (name: string) =>
    problems.at(['crawl', name])('conflict', 'needs crawl.render browser; null resets it')
  if (waitFor !== null) refuse('wait_for')
  if (loadMedia) refuse('load_media')
}

/** As every answer shows it, and as it is stored. */
export function writeDefinition(definition: Definition): Record<string, unknown> {
  const { crawl, extract, output, headers } = definition
  return {
    ...writeMembers(SCRAPER, definition),
    headers: Object.fromEntries(headers),
    crawl: writeMembers(CRAWL, crawl),
    extract: {
      ...writeMembers(EXTRACT, extract),
      fields: writeMap(extract.fields, writeFieldRule),
    },
    output: output && {
      ...writeMembers(OUTPUT, output),
      map: writeMap(output.map, (source) => ('from' in source ? source.from : source)),
      media: Object.fromEntries(output.media),
    },
  }
}

function writeMap<Value>(map: ReadonlyMap<string, Value>, write: (value: Value) => unknown) {
  return Object.fromEntries([...map].map(([name, value]) => [name, write(value)]))
}

/** For the reference: `name` and `url` alone must be given. */
export function definitionSchema(required: readonly string[]): TSchema {
  const own = schemaOf(SCRAPER)
  const inner = { crawl: schemaOf(CRAWL), extract: schemaOf(EXTRACT), output: schemaOf(OUTPUT) }
  const { properties } = Type.Object(inner)
  return Type.Unsafe<unknown>({
    type: 'object',
    properties: { ...propertiesOf(own), ...properties },
    required: [...required],
  })
}

function propertiesOf(schema: TSchema): object {
  return 'properties' in schema && isObject(schema.properties) ? schema.properties : {}
}

function readName(value: unknown, refuse: Refuse): string | undefined {
  if (typeof value !== 'string') return refuse('type', 'must be a string')
  return readText(value.trim(), refuse, { max: MAX_NAME })
}

function readSchedule(value: unknown, refuse: Refuse): string | undefined {
  const schedule = readText(value, refuse, { max: 200 })
  if (schedule === undefined) return undefined
  const problem = checkCron(schedule)
  return problem ? refuse(problem.rule, problem.message, [], problem.subject) : schedule
}

function readHeader(value: unknown, refuse: Refuse): string | undefined {
  if (value === '') return ''
  return readText(value, refuse, { max: MAX_HEADER, isFree: true, check: checkHeaderValue })
}

function readSource(value: unknown, refuse: Refuse): Source | undefined {
  if (isObject(value) && Object.hasOwn(value, 'const')) return { const: value['const'] }
  if (typeof value !== 'string') {
    return refuse('type', 'must be the name of a field or an object with const')
  }
  const from = readText(value, refuse, PATH)
  return from === undefined ? undefined : { from }
}
