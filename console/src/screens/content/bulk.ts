import { send } from '../../api/client.ts'
import { type ContentType, pathOf } from '../../api/content.ts'
import { ApiError, messageOf } from '../../api/errors.ts'

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

/**
 * Each operation for itself; why one was refused, by its place. A body that the server cannot read, for one text in
 * it, is sent again in halves until that operation is alone.
 */
export async function sendBulk(
  type: ContentType,
  operations: readonly object[],
): Promise<Map<number, string>> {
  if (operations.length === 0) return new Map()
  try {
    return await sendWhole(type, operations)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400)) throw error
    if (operations.length === 1) return new Map([[0, messageOf(error)]])
    const half = Math.ceil(operations.length / 2)
    const first = await sendBulk(type, operations.slice(0, half))
    const others = await sendBulk(type, operations.slice(half))
    return new Map([...first, ...[...others].map(([at, fault]) => [at + half, fault] as const)])
  }
}

async function sendWhole(
  type: ContentType,
  operations: readonly object[],
): Promise<Map<number, string>> {
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
