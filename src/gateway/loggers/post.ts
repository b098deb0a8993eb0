import { setTimeout as wait } from 'node:timers/promises'
import { nodeHttp, nodeHttps } from '#http-text'

export interface Target {
  readonly uri: string
  readonly authorization: string | undefined
  readonly timeoutMs: number
  readonly verifiesTls: boolean
}

/** Waits before the second, third and fourth attempt. */
const RETRY_MS = [200, 1_000, 3_000]

/** Posts JSON lists; what fails is tried three times more. */
export function createPost({ uri, authorization, timeoutMs, verifiesTls }: Target) {
  const url = new URL(uri)
  const isTls = url.protocol === 'https:'
  const agent = isTls
    ? new (nodeHttps().Agent)({ keepAlive: true, maxSockets: 1, rejectUnauthorized: verifiesTls })
    : new (nodeHttp().Agent)({ keepAlive: true, maxSockets: 1 })
  return { send, close: () => agent.destroy() }

  async function send(entries: readonly string[]): Promise<void> {
    const body = Buffer.from(`[${entries.join(',')}]`)
    for (const waitMs of RETRY_MS) {
      try {
        return await attempt(body)
      } catch {
        await wait(waitMs)
      }
    }
    await attempt(body)
  }

  function attempt(body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = (isTls ? nodeHttps().request : nodeHttp().request)(url, {
        method: 'POST',
        agent,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          ...(authorization === undefined ? {} : { authorization }),
        },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        const { statusCode = 0 } = response
        response.resume()
        response.on('error', reject)
        response.on('end', () => {
          if (statusCode >= 200 && statusCode < 300) resolve()
          else reject(new Error(`answered ${statusCode}`))
        })
      })
      request.end(body)
    })
  }
}
