// Files and what is sent with them.
export {
  isStoredName,
  readFileBytes,
  readKeptBytes,
  type StoredBytes,
  TABLES_OF_BYTES,
  writeFileBytes,
} from './bytes/all-bytes.ts'
export { missingBytes } from './bytes/missing.ts'
export { removeAbandoned } from './bytes/take-in.ts'
export { toKilobytes } from './kilobytes.ts'
export type { Media } from './media.ts'
export { type Form, fieldOf, useForms, withForm } from './multipart.ts'
export { createPictureProcess } from './pictures/picture-process.ts'
export type { Received } from './receive.ts'
export type { FileInfo } from './store.ts'
export type { MediaFolder, MediaItem, MediaPage, MediaQuery } from './words.ts'
