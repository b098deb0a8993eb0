import { describe } from 'node:test'
import type { DatabaseKind } from '#test-kit'
import { bundle } from './bundle.ts'
import { buyer } from './buyer.ts'
import { oauthClients } from './clients.ts'
import { entries } from './entries.ts'
import { everyScreen } from './every-screen.ts'
import { firstSteps } from './first-steps.ts'
import { forms } from './forms.ts'
import { gatewayScreens } from './gateway.ts'
import { keptValues } from './kept.ts'
import { leaving } from './leaving.ts'
import { mediaLibrary } from './media.ts'
import { openRecords } from './open-records.ts'
import { proxies } from './proxies.ts'
import { safety } from './safety.ts'
import { scraperScreens } from './scrapers.ts'
import { consoleServer } from './support.ts'
import { tables } from './tables.ts'
import { typeDesigner } from './types.ts'
import { unsavedWork } from './unsaved.ts'
import { usageOfKeys } from './usage.ts'
import { webhookScreens } from './webhooks.ts'

/** The whole console on one server, in one browser. */
export function consoleSuites(kind: DatabaseKind): void {
  describe(`console (${kind})`, () => {
    const console = consoleServer(kind)
    firstSteps(console)
    bundle(console)
    entries(console)
    unsavedWork(console)
    keptValues(console)
    leaving(console)
    forms(console)
    tables(console)
    typeDesigner(console)
    mediaLibrary(console)
    safety(console)
    buyer(console)
    usageOfKeys(console)
    oauthClients(console)
    openRecords(console)
    proxies(console)
    webhookScreens(console)
    gatewayScreens(console)
    scraperScreens(console)
    // Last: it shows what the others have made. How screens look is no matter of data (contract §5), and takes longest.
    if (kind === 'sqlite') everyScreen(console)
  })
}
