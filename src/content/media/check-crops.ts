import { DomainError, type Issue, invalid } from '#kernel'
import type { Crop, MediaFile } from '../entry.ts'
import type { FileInfo } from './store.ts'

/** Only pictures have parts, each crop has a name of its own, and something of the picture is left. */
export function checkParts({ mime }: Pick<MediaFile, 'mime'>, info: FileInfo): void {
  const { focalPoint, crops = [] } = info
  if (!mime.startsWith('image/') && (focalPoint || crops.length > 0)) {
    const message = `A file of the type ${mime} has no focal point and no crops; only pictures have`
    throw new DomainError('unprocessable', 'not_a_picture', message)
  }
  const issues = crops.flatMap((crop, at) => faultOf(crop, at, crops))
  if (issues.length > 0) throw invalid(issues)
}

function faultOf({ alias, coordinates }: Crop, at: number, crops: readonly Crop[]): Issue[] {
  const path = ['crops', at]
  if (crops.findIndex((other) => other.alias === alias) < at) {
    return [{ path: [...path, 'alias'], rule: 'unique', message: `There are two crops ${alias}` }]
  }
  if (!coordinates) return []
  const { x1, y1, x2, y2 } = coordinates
  if (x1 + x2 < 1 && y1 + y2 < 1) return []
  const message =
    'What is cut off at opposite sides must leave something: x1 + x2 and y1 + y2 below 1'
  return [{ path: [...path, 'coordinates'], rule: 'invalid', message }]
}
