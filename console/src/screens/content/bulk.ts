import { send } from '../../api/client.ts'
import { type ContentType, pathOf } from '../../api/content.ts'

interface BulkAnswer {
  readonly data: readonly {
    readonly index: number
    readonly error?: {
      readonly message: string
      readonly details?: readonly { field: string; message: string }[]
    }
  }[]
}

/** More would only take longer until the first outcome is seen. */
export const AT_ONCE = 100

/** Each operation for itself; why one was refused, by its place. */
export async function sendBulk(
  type: ContentType,
  operations: readonly object[],
): Promise<Map<number, string>> {
  if (operations.length === 0) return new Map()
  const { body } = await send<BulkAnswer>(`${pathOf(type)}/bulk`, {
    method: 'POST',
    body: { operations },
  })
  const failed = body.data.flatMap(({ index, error }) => {
    if (!error) return []
    const details = error.details?.map(({ field, message }) => `${field}: ${message}`).join('; ')
    return [[index, details || error.message] as const]
  })
  return new Map(failed)
}
