import {
  ADMIN_KEY,
  contentSuite,
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

export type ContentServer = ReturnType<typeof contentServer>

/** Tests on a server they share, whose content store is empty. */
export function storeSuite(name: string, define: (content: ContentServer) => void) {
  return (content: ContentServer) =>
    contentSuite(name, content, { prepare: async () => {}, define: () => define(content) })
}

export type Caller = Pick<ReturnType<typeof createCalls>, 'call' | 'data'>
