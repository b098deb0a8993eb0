import { join } from 'node:path'
import { createLocalBus, createRevisions } from '#bus'
import { createContent } from '#content'
import { type DatabaseSettings, migrate, startDatabase } from '#db'
import { createHttpServer } from '#http'
import { renderError } from '#http-text'
import { createClock, createIds, type Log, random } from '#kernel'

const quiet: Log = { debug() {}, info() {}, warn() {}, error: console.error }

/** The content store by itself, on an empty database. */
export async function openContent(root: string, settings: DatabaseSettings) {
  const clock = createClock()
  const ids = createIds({ clock, random })
  const started = await startDatabase(settings, {
    clock,
    log: quiet,
    onThreadFailure: (_name, error) => console.error(error),
  })
  const { database } = started
  await migrate({ database, directory: join(root, 'migrations'), log: quiet })
  const bus = createLocalBus({ log: quiet })
  const revisions = createRevisions({ bus, log: quiet })
  const content = await createContent({
    ...{ db: database, clock, ids, random, log: quiet, bus, revisions },
    appendEvents: async () => {},
    uploads: { directory: settings.dataDir, maxFileBytes: 1, maxFiles: 1, cacheBytes: 0 },
    starter: 'none',
    origin: () => 'http://localhost',
    settings: () => ({ publicReadDefault: true, revisions: 10 }),
  })
  return { content, database, defineTypes, stop }

  async function defineTypes(contentTypes: readonly object[]) {
    const mount = { prefix: '/', renderError, plugin: content.adminRoutes }
    const app = await createHttpServer({ log: quiet, ids, mounts: [mount] })
    const url = '/content-types/batch'
    const answer = await app.inject({ method: 'POST', url, payload: { contentTypes } })
    if (answer.statusCode !== 201) throw new Error(answer.body)
    await app.close()
  }

  async function stop() {
    content.close()
    await started.stop()
  }
}

export type BenchContent = Awaited<ReturnType<typeof openContent>>
