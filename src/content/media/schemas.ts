import Type, { type Static } from 'typebox'
import type { FileInfo } from './store.ts'

/** What `POST` answers: the record that was made. */
export const MadeRecord = Type.Object({ data: Type.Unknown() })

export const FileParams = Type.Object({ id: Type.String() })

const text = Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])
const share = Type.Number({ minimum: 0, maximum: 1 })
const pixels = Type.Integer({ minimum: 1, maximum: 100_000 })
const closed = { additionalProperties: false }

const FocalPoint = Type.Object({ left: share, top: share }, closed)

const Crop = Type.Object(
  {
    alias: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
    width: pixels,
    height: pixels,
    coordinates: Type.Optional(
      Type.Union([
        Type.Object({ x1: share, y1: share, x2: share, y2: share }, closed),
        Type.Null(),
      ]),
    ),
  },
  closed,
)

export const FileChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    alternative_text: Type.Optional(text),
    caption: Type.Optional(text),
    folder: Type.Optional(Type.String({ pattern: '^/', maxLength: 255 })),
    focal_point: Type.Optional(Type.Union([FocalPoint, Type.Null()])),
    crops: Type.Optional(Type.Array(Crop, { maxItems: 50 })),
  },
  closed,
)

/** Absent members stay absent. */
export function toInfo(body: Static<typeof FileChange>): FileInfo {
  const { alternative_text: alternativeText, focal_point: focalPoint, crops, ...rest } = body
  return {
    ...rest,
    ...(alternativeText === undefined ? {} : { alternativeText }),
    ...(focalPoint === undefined ? {} : { focalPoint }),
    ...(crops === undefined ? {} : { crops: crops.map(toCrop) }),
  }
}

function toCrop({ coordinates = null, ...crop }: Static<typeof Crop>) {
  return { ...crop, coordinates }
}
