/** What the process of pictures is asked, and what it says. */
export interface PictureOrder {
  /** Of the picture. */
  readonly path: string
  /** How paths of smaller ones begin. */
  readonly into: string
  readonly maxPixels: number
}

export interface MadePicture {
  readonly size: string
  readonly path: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

export interface MadePictures {
  /** Of the picture itself, as it is to be seen. */
  readonly width: number
  readonly height: number
  readonly pictures: readonly MadePicture[]
}

export type PictureOutcome =
  | ({ readonly kind: 'made' } & MadePictures)
  /** The picture is broken or too large. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The package that reads pictures does not work on this machine. */
  | { readonly kind: 'unable'; readonly message: string }
