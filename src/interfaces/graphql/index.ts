/**
 * GraphQL over the one content store, in three shapes: that of the headless CMS, lists by offset and
 * cursor connections. Schemas follow the content types as they are defined now.
 */
export { renderGraphqlError } from './errors.ts'
export { createGraphql } from './routes.ts'
