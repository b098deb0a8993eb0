/** Documents of this dialect: resources, identifiers, links, and what is included with them. */

export { renderDocument } from './render/document.ts'
export { renderEntry } from './render/entry.ts'
export { renderFileResource, renderMedia } from './render/files.ts'
export { createIncluded } from './render/included.ts'
export { renderNodeType, renderUser } from './render/others.ts'
export type { View } from './render/view.ts'
