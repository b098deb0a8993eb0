import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  installation,
  shareServer,
  startServer,
} from '#test-kit'

/** One server for all tests of a `describe`. */
export function contentServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const server = shareServer(async () =>
    startServer(await installation(kind, { ENTREPOT_ADMIN_KEY: ADMIN_KEY, ...extra })),
  )
  return { server, ...createCalls(() => server().url) }
}

export type Caller = Pick<ReturnType<typeof createCalls>, 'call' | 'data'>
