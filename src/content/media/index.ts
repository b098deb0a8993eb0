// Files and what is sent with them.
export { type Media, toKilobytes } from './media.ts'
export { type Form, useForms, withForm } from './multipart.ts'
export type { Received } from './receive.ts'
export type { FileInfo } from './store.ts'
export type { MediaFolder, MediaItem, MediaPage, MediaQuery } from './words.ts'
