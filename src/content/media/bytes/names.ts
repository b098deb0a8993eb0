/** What bytes are served and stored under: `<hash>.png`, of smaller pictures `thumbnail_<hash>.webp`. */
const NAME = /^(?:(?:thumbnail|small|medium|large)_)?([A-Za-z0-9]{32})\.[a-z0-9]{1,10}$/

export function storedName({ hash, ext }: { readonly hash: string; readonly ext: string }): string {
  return `${hash}${ext}`
}

/** Of the file that the bytes belong to; undefined for what is no name of stored bytes. */
export function hashIn(name: string): string | undefined {
  return NAME.exec(name)?.[1]
}
