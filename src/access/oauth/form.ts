import type { FastifyRequest } from 'fastify'
import { invalidRequest } from './errors.ts'

/** The parameters of a form body that have a value. */
export type Form = ReadonlyMap<string, string>

const KNOWN = new Set([
  'client_id',
  'client_secret',
  'grant_type',
  'scope',
  'token',
  'token_type_hint',
])

export function formOf({ body }: FastifyRequest): Form {
  if (typeof body === 'string') return parseForm(body)
  throw invalidRequest('The body must be application/x-www-form-urlencoded')
}

/** RFC 6749 §3.2: an empty parameter counts as absent, a repeated one is a fault. */
export function parseForm(text: string): Form {
  const seen = new Set<string>()
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) throw invalidRequest(`${describe(name)} is given more than once`)
    seen.add(name)
    if (value !== '') form.set(name, value)
  }
  return form
}

export function required(form: Form, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw invalidRequest(`${name} is missing`)
  return value
}

/** Names that somebody made up are not worth repeating. */
function describe(name: string): string {
  return KNOWN.has(name) ? name : 'A parameter'
}
