import { isObject, OperatorError } from '#kernel'

/** What the server has against one object. */
export interface Finding {
  /** The list it stands in. */
  readonly list: string
  readonly id: string
  readonly index: number
  /** Of the member, from the object down; empty when the object as a whole is meant. */
  readonly path: readonly string[]
  readonly message: string
}

export interface Server {
  readonly url: string
  readonly key: string
}

type Lists = Readonly<Record<string, readonly unknown[]>>

/** All that keeps the configuration from being stored; nothing is. */
export function validate(server: Server, lists: Lists): Promise<readonly Finding[]> {
  return send(server, 'POST', '/configs/validate', lists)
}

/** Stores it as one write; the findings are those of a refusal. */
export function replaceAll(server: Server, lists: Lists): Promise<readonly Finding[]> {
  return send(server, 'PUT', '/configs', lists)
}

export async function readAll(server: Server): Promise<Readonly<Record<string, unknown>>> {
  const answer = await ask(server, 'GET', '/configs')
  const body: unknown = await answer.json()
  if (answer.ok && isObject(body)) return body
  throw refused(answer.status, body)
}

async function send(server: Server, method: string, path: string, lists: Lists) {
  const answer = await ask(server, method, path, JSON.stringify(lists))
  if (answer.ok) return []
  const body: unknown = await answer.json().catch(() => undefined)
  const errors = isObject(body) ? body['errors'] : undefined
  if (answer.status !== 400 || !Array.isArray(errors)) throw refused(answer.status, body)
  return errors.filter(isObject).map(toFinding)
}

async function ask({ url, key }: Server, method: string, path: string, body?: string) {
  const request = { method, headers: { 'x-api-key': key }, ...(body === undefined ? {} : { body }) }
  return fetch(`${url}/gateway/admin${path}`, request).catch((error) => {
    throw new OperatorError(`${url} does not answer`, error)
  })
}

function toFinding(error: Readonly<Record<string, unknown>>): Finding {
  const text = String(error['error'])
  const [, path = '', message = text] = /^(\/\S*): (.*)$/s.exec(text) ?? []
  return {
    ...{ list: String(error['resource_type']), id: String(error['resource_id']) },
    ...{ index: Number(error['index']), path: path.split('/').slice(1), message },
  }
}

function refused(status: number, body: unknown): OperatorError {
  const { error_msg: text, description } = isObject(body) ? body : {}
  const reason = [text, description].filter((part) => typeof part === 'string').join(': ')
  return new OperatorError(`The server refused the configuration with ${status}: ${reason}`)
}
