import { isObject, OperatorError } from '#kernel'

/** An attribute as the server shows it; what else it has depends on its type. */
export type AttributeDefinition = Readonly<Record<string, unknown>> & { readonly type: string }

export type Attributes = Readonly<Record<string, AttributeDefinition>>

export interface TypeDefinition {
  readonly kind: string
  readonly singularName: string
  readonly pluralName: string
  readonly displayName: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
  readonly attributes: Attributes
}

export interface ComponentDefinition {
  readonly uid: string
  readonly attributes: Attributes
}

export interface Definitions {
  readonly types: readonly TypeDefinition[]
  readonly components: readonly ComponentDefinition[]
}

interface Server {
  readonly url: string
  readonly key: string
}

export async function readDefinitions(server: Server): Promise<Definitions> {
  const [types, components] = await Promise.all([
    readList<TypeDefinition>(server, '/api/v1/content-types'),
    readList<ComponentDefinition>(server, '/api/v1/components'),
  ])
  return { types, components }
}

async function readList<T>({ url, key }: Server, path: string): Promise<readonly T[]> {
  const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } }).catch((error) => {
    throw new OperatorError(`${url} does not answer`, error)
  })
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && isObject(body) && Array.isArray(body.data)) return body.data
  if (answer.status === 401 || answer.status === 403) {
    throw new OperatorError(
      `${url} refused the key: types are shown to keys of level admin; make one with "entrepot keys issue --admin"`,
    )
  }
  throw new OperatorError(`${url}${path} answered ${answer.status}: is it an Entrepot server?`)
}
