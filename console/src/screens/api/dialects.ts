import type { ContentType } from '../../api/content.ts'

export interface ReadyRequest {
  readonly dialect: string
  readonly note: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** The same entries in every dialect, as requests that work as they stand. */
export function requestsOf(type: ContentType): readonly ReadyRequest[] {
  const { kind, singularName, pluralName, entityType, bundle } = type
  const isSingle = kind === 'singleType'
  const name = isSingle ? singularName : pluralName
  const page = isSingle ? '' : '?per_page=5'
  return [
    { dialect: 'REST', note: 'Entrepot’s own', method: 'GET', path: `/api/v1/${name}${page}` },
    {
      dialect: 'CMS',
      note: 'for clients of Strapi',
      method: 'GET',
      path: `/api/${name}${isSingle ? '' : '?pagination[pageSize]=5'}`,
    },
    {
      dialect: 'GraphQL',
      note: 'at one address',
      method: 'POST',
      path: '/graphql',
      body: JSON.stringify({ query: `{ ${camel(name)} { documentId } }` }),
    },
    {
      dialect: 'JSON:API',
      note: 'for clients of Drupal',
      method: 'GET',
      path: `/jsonapi/${entityType}/${bundle}?page[limit]=5`,
    },
    {
      dialect: 'Delivery',
      note: 'for clients of Umbraco',
      method: 'GET',
      path: `/cms/delivery/api/v2/content?filter=contentType:${camel(singularName)}&take=5`,
    },
  ]
}

export function curlOf({ method, path, body }: ReadyRequest, origin: string): string {
  const url = `'${origin}${path}'`
  if (method === 'GET') return `curl -g -H 'X-API-Key: sk_…' ${url}`
  return `curl -H 'X-API-Key: sk_…' -H 'Content-Type: application/json' -d '${body ?? ''}' ${url}`
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
