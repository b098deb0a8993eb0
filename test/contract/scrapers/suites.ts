import { describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ADMIN_KEY, type DatabaseKind, installation, shareServer, startServer } from '#test-kit'
import { articles } from './articles.ts'
import { collecting } from './collecting.ts'
import { command } from './command.ts'
import { definitions } from './definitions.ts'
import { eventSource } from './event-source.ts'
import { fairness } from './fairness.ts'
import { fetching } from './fetching.ts'
import { journey } from './journey.ts'
import { options } from './options.ts'
import { politeness } from './politeness.ts'
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
  // Names of this machine, for links between hosts.
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('./names.ts', import.meta.url))}`,
  ...LOOPBACK,
}

/** What one server shows of scrapers. */
export function scraperSuites(kind: DatabaseKind): void {
  describe(`scrapers (${kind})`, () => {
    const server = shareServer(async () => startServer(await installation(kind, SETTINGS)))
    definitions(server)
    running(server)
    fetching(server)
    politeness(server)
    collecting(server)
    publishing(server)
    progress(server)
    eventSource(server)
    proxies(server)
    options(server)
    journey(server)
    // Reading pages has nothing to do with the database.
    if (kind === 'sqlite') articles(server)
    fairness(server)
    schedules(server)
    // The command has a database of its own, whatever the server has.
    if (kind === 'sqlite') command(server)
  })
}
