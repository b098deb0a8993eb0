import { describe } from 'node:test'
import { ADMIN_KEY, type DatabaseKind, installation, shareServer, startServer } from '#test-kit'
import { collecting } from './collecting.ts'
import { command } from './command.ts'
import { definitions } from './definitions.ts'
import { fetching } from './fetching.ts'
import { progress } from './progress.ts'
import { proxies } from './proxies.ts'
import { publishing } from './publishing.ts'
import { running } from './running.ts'
import { schedules } from './schedule.ts'
import { LOOPBACK } from './support.ts'

const SETTINGS = {
  ENTREPOT_ADMIN_KEY: ADMIN_KEY,
  ENTREPOT_STARTER: 'types',
  ENTREPOT_WEBHOOKS_ALLOW_NETS: '127.0.0.0/8',
  ...LOOPBACK,
}

/** What one server shows of scrapers. */
export function scraperSuites(kind: DatabaseKind): void {
  describe(`scrapers (${kind})`, () => {
    const server = shareServer(async () => startServer(await installation(kind, SETTINGS)))
    definitions(server)
    running(server)
    fetching(server)
    collecting(server)
    publishing(server)
    progress(server)
    proxies(server)
    schedules(server)
    // The command has a database of its own, whatever the server has.
    if (kind === 'sqlite') command(server)
  })
}
