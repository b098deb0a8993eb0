/**
 * The headless CMS dialect at `/api/<collection>`: clients of that well-known system work with it
 * unmodified. It reads and writes the one content store and keeps nothing of its own.
 */
export { renderCmsError } from './errors.ts'
export { type CmsDeps, createCms } from './routes.ts'
