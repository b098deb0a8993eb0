/** The platform of a process, seen from another of its threads; loads nothing of the configuration. */

import type { MessagePort } from 'node:worker_threads'
import { createLocalBus, createRevisions } from '#bus'
import { attachDatabase, type DatabaseAddress } from '#db'
import { createClock, createIds, openLog, REOPEN_LOG, random } from '#kernel'
import { createSecretBox, type MasterKeys } from '#secrets'
import type { BackupSettings } from '#transfer'
import { followSettings, type SharedSettings } from './shared-settings.ts'

/** What a thread needs to attach to the platform of its process; goes into its `workerData`. */
export interface PlatformAddress {
  readonly database: DatabaseAddress
  readonly clock: SharedArrayBuffer
  readonly counters: SharedArrayBuffer
  readonly bus: MessagePort
  readonly log: Parameters<typeof openLog>[0]
  readonly masterKeys: MasterKeys
  readonly usageRetentionDays: number
  /** Where clients see the server, for URLs in events. */
  readonly publicUrl: string | undefined
  readonly settings: SharedSettings
  readonly version: string
  readonly chromium: {
    readonly chromium: string | undefined
    readonly chromiumUser: string | undefined
  }
  /** Events are handed to this message broker, when there is one. */
  readonly amqpUrl: string | undefined
  readonly commerce: { readonly workers: number }
  readonly backup: BackupSettings
  /** Where media files lie and how large they may be. */
  readonly uploads: {
    readonly directory: string
    readonly maxFileBytes: number
    readonly maxFiles: number
    readonly cacheBytes: number
    readonly formats: boolean
    readonly maxPixels: number
  }
  /** Requests made for users may reach this machine itself (webhooks contract §10). */
  readonly isDevelopment: boolean
}

/** The same parts in another thread of the process. */
export async function openPlatformInThread(address: PlatformAddress, name: string) {
  const clock = createClock(address.clock)
  const ids = createIds({ clock, random })
  const { log, close, reopen } = openLog(address.log, name)
  const database = await attachDatabase(address.database, { clock, log })
  const bus = createLocalBus({ port: address.bus, log })
  bus.subscribe(REOPEN_LOG, reopen)
  const revisions = createRevisions({ bus, log })
  const box = createSecretBox({ ...address.masterKeys, random })
  const settings = followSettings(address.settings, { bus, log })
  const stop = async () => {
    settings.close()
    revisions.close()
    await bus.close()
    await database.close()
    await close()
  }
  return { log, clock, ids, database, bus, revisions, box, settings, stop }
}
