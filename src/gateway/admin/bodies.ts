/** What requests to the administration say and how the whole configuration is written down. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpApp } from '#http'
import { DomainError } from '#kernel'
import { readYamlApart, writeYamlApart } from '#yaml-apart'
import type { JsonObject } from '../resources/values.ts'
import { refuse } from './errors.ts'

const MAX_DEPTH = 64
/** More than a body of the largest size holds, unless it was made to be read for long. */
const MAX_VALUES = 100_000
const YAML = 'application/yaml'
const YAML_TYPE = /^(application|text)\/(x-|vnd\.)?yaml$|\+yaml$/

/** Contract §2: JSON whatever the content type says, because curl -d sends that of a form; but `/configs` takes YAML too. */
export function readBodies(app: HttpApp) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined
      const text = body.toString('utf8')
      return isYaml(request) ? readYaml(text) : readJson(text)
    },
  )
}

/** As YAML where the request would rather have that. */
export async function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  document: JsonObject,
): Promise<unknown> {
  reply.header('vary', 'Accept')
  if (!prefersYaml(headers.accept ?? '')) return document
  return reply.type(YAML).send(await writeYamlApart(document))
}

/** The parts of the path behind the prefix of the administration. */
export function pathOf({ params }: FastifyRequest): string[] {
  const rest = typeof params === 'object' && params !== null && '*' in params ? params['*'] : ''
  return String(rest)
    .split('/')
    .filter((part) => part !== '')
}

function isYaml(request: FastifyRequest): boolean {
  const type = request.headers['content-type']?.split(';', 1)[0] ?? ''
  return YAML_TYPE.test(type.trim().toLowerCase()) && pathOf(request)[0] === 'configs'
}

function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    refuseTricks(value, 0)
    return value
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw refuse(`invalid request body: it is not JSON: ${reasonOf(error)}`)
  }
}

async function readYaml(text: string): Promise<unknown> {
  const read = await readYamlApart(text, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES })
  if ('value' in read) return read.value
  throw refuse(`invalid request body: ${read.fault}`)
}

/** Names that reach into JavaScript's prototypes, and nesting that no configuration has. */
function refuseTricks(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw refuse(`invalid request body: it is nested deeper than ${MAX_DEPTH}`)
  if (Object.hasOwn(value, '__proto__'))
    throw refuse('invalid request body: __proto__ is not a name')
  for (const inner of Object.values(value)) refuseTricks(inner, depth + 1)
}

/** RFC 9110 §12.5.1: with equal weights JSON, which everybody got before there was a choice. */
function prefersYaml(accept: string): boolean {
  const weights = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const best = (isMeant: (type: string) => boolean) =>
    Math.max(0, ...weights.filter(({ type }) => isMeant(type)).map(({ weight }) => weight))
  return best((type) => YAML_TYPE.test(type)) > best((type) => type === 'application/json')
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unreadable'
}
