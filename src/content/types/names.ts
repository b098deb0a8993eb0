import type { Component } from '../model.ts'

/** Content model §3: the forms of names and the names that are taken by the server itself. */

export const TYPE_NAME = /^[a-z][a-z0-9-]{0,49}$/
export const ATTRIBUTE_NAME = /^[A-Za-z][A-Za-z0-9_]{0,59}$/
export const BUNDLE_NAME = /^[a-z][a-z0-9_-]{0,49}$/
export const COMPONENT_PART = /^[a-z][a-z0-9-]{0,49}$/

const RESERVED_ENTITY_TYPES = new Set(['media', 'file', 'user', 'node_type'])

const RESERVED_ATTRIBUTES = new Set([
  'id',
  'documentId',
  'document_id',
  // The number of an entry in the second version of `/api` (REST conventions §7).
  'entry_id',
  'createdAt',
  'created_at',
  'updatedAt',
  'updated_at',
  'publishedAt',
  'published_at',
  'locale',
  'localizations',
  'path',
  'tree_parent_id',
  'sort_order',
  'is_root',
  'externalId',
  'external_id',
  'publish',
  'unpublish',
  'publish_at',
  'unpublish_at',
  'revisions',
  'relationships',
  // The number of an entry beside its global id in GraphQL.
  'databaseId',
])

/** First segments under `/api` and `/api/v1` that are words of the interfaces, not of a user. */
const RESERVED_WORDS = new Set([
  'upload',
  'content-type-builder',
  'i18n',
  'auth',
  'users',
  'connect',
  'graphql',
  'scrapers',
  'proxy-pools',
  'integrations',
  'runs',
  'webhooks',
  'plans',
  'keys',
  'usage',
  'me',
  'sign-in',
  'sign-out',
  'settings',
  'stream-tickets',
  'oauth',
  'content-model',
  'content-types',
  'components',
  'locales',
  'media',
  'changes',
  'search',
  'views',
  'nodes',
  'overview',
  'integrations',
  'events',
  'openapi',
  'docs',
  'api',
])

/** What a type called `X` adds to the schemas beside `X` itself. */
const GRAPHQL_SUFFIXES = [
  'Entity',
  'EntityResponse',
  'EntityResponseCollection',
  'RelationResponseCollection',
  'FiltersInput',
  'Input',
  'List',
  'Filter',
  'Connection',
  'Edge',
]

/** Names of the GraphQL schemas that belong to no content type. */
const BUILT_IN_GRAPHQL = new Set([
  'Query',
  'Mutation',
  'Subscription',
  'String',
  'Int',
  'Float',
  'Boolean',
  'ID',
  'JSON',
  'Long',
  'Date',
  'Time',
  'DateTime',
  'Decimal',
  'Upload',
  'UploadFolder',
  // Fields of the root, as names of types are compared.
  'UploadFiles',
  'I18NLocales',
  'I18NLocaleCode',
  'PublicationState',
  'PublicationStatus',
  'Pagination',
  'PaginationArg',
  'ResponseCollectionMeta',
  'Error',
  'Node',
  'PageInfo',
  'Link',
  'RichText',
  'GenericMorph',
  'FileInfoInput',
  ...['UploadFile', 'I18NLocale'].flatMap(withSuffixes),
  ...['ID', 'String', 'Int', 'Long', 'Float', 'Boolean', 'Date', 'Time', 'DateTime', 'JSON'].map(
    (name) => `${name}FilterInput`,
  ),
])

export function isReservedTypeName(name: string): boolean {
  return /^v\d+$/.test(name) || RESERVED_WORDS.has(name)
}

export function isReservedEntityType(name: string): boolean {
  return RESERVED_ENTITY_TYPES.has(name)
}

export function isReservedAttribute(name: string, draftAndPublish: boolean): boolean {
  return RESERVED_ATTRIBUTES.has(name) || (draftAndPublish && name === 'status')
}

/** `blog-post` is `BlogPost`. */
export function graphqlName(name: string): string {
  return name
    .split('-')
    .map((part) => `${part[0]?.toUpperCase() ?? ''}${part.slice(1)}`)
    .join('')
}

/** Every name of the GraphQL schemas that a type of this singular name takes. */
export function graphqlNames(singularName: string): string[] {
  return withSuffixes(graphqlName(singularName))
}

function withSuffixes(name: string): string[] {
  return [name, ...GRAPHQL_SUFFIXES.map((suffix) => `${name}${suffix}`)]
}

export function graphqlComponentNames({ category, name }: Pick<Component, 'category' | 'name'>) {
  const own = `Component${graphqlName(category)}${graphqlName(name)}`
  return [own, ...['FiltersInput', 'Filter', 'Input'].map((suffix) => `${own}${suffix}`)]
}

/** The union of what a zone holds, and the scalar of what it takes. */
export function graphqlZoneNames(singularName: string, attribute: string) {
  const own = `${graphqlName(singularName)}${graphqlName(attribute)}DynamicZone`
  return { union: own, input: `${own}Input` }
}

/** Names of operators look like `StringFilterInput`; no type may be called like one. */
export function isReservedGraphqlName(name: string): boolean {
  return isBuiltInGraphqlName(name) || /FilterInput$/.test(name)
}

export function isBuiltInGraphqlName(name: string): boolean {
  return BUILT_IN_GRAPHQL.has(name)
}

/** `blog-post` is shown as `Blog post`. */
export function displayNameOf(singularName: string): string {
  const words = singularName.replaceAll('-', ' ').trim()
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`
}
