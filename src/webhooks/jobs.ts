/** The worker's side of webhooks: hands events to subscriptions and sends what is due. */
import type { Kysely } from 'kysely'
import type { Bus } from '#bus'
import type { Database, Tx } from '#db'
import { createEventReader, type NewEvent, SEQUENCED_TOPIC } from '#events'
import {
  byAny,
  createClaims,
  createLedLoops,
  type Leases,
  type Lookout,
  type Loop,
  SELDOM,
} from '#jobs'
import type { Clock, Ids, Log, Random } from '#kernel'
import type { SecretBox } from '#secrets'
import { createEntryTexts, type EntrySource } from './entry-texts.ts'
import type { Consumer } from './records.ts'
import { createSecrets } from './secrets.ts'
import { createAttempts } from './sending/attempt.ts'
import { createClient } from './sending/client.ts'
import { createCounting } from './sending/counting.ts'
import { createDispatch } from './sending/dispatch.ts'
import { createHousekeeping } from './sending/housekeeping.ts'
import { createMails } from './sending/mail.ts'
import { createMessages } from './sending/messages.ts'
import { createProbes } from './sending/probe.ts'
import { startPump } from './sending/pump.ts'
import { createRecorder } from './sending/record.ts'
import { createReplayWork } from './sending/replay.ts'
import { createResume } from './sending/resume.ts'
import type { DeliverySettings } from './sending/settings.ts'
import { createUnhold } from './sending/unhold.ts'
import { createDueReader } from './store/due.ts'
import { isClaimable } from './store/lanes.ts'
import { createWorkQuestions } from './store/work.ts'
import type { WebhooksTables } from './tables.ts'
import { HOUSEKEEPING_TOPIC } from './topics.ts'

interface Deps {
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly random: Random
  readonly log: Log
  readonly bus: Bus
  readonly box: SecretBox
  readonly leases: Pick<Leases, 'tryHold'>
  readonly lookout: Pick<Lookout, 'watch'>
  /** The name of this process, new with every start. */
  readonly owner: string
  readonly version: string
  readonly isDevelopment: boolean
  /** The master key was changed; what the previous one sealed is sealed anew. */
  readonly hasPreviousKey: boolean
  settings(): DeliverySettings
  appendEvents(tx: Tx, events: readonly NewEvent[]): Promise<unknown>
  findConsumer(id: string): Promise<Consumer | undefined>
  /** The consumers who see everything. */
  staff(): Promise<readonly string[]>
  readonly entries: EntrySource
}

const LEASE_MS = 30_000
const LEAD_MS = 10_000
const RARELY_MS = 15_000

/** Sending goes on in every process; the rest on the one that leads. */
export function startWebhookJobs(deps: Deps): Loop {
  const { db, clock, bus, box, random, log, owner, leases, lookout, settings } = deps
  const reader: Kysely<WebhooksTables> = db.main.reader
  const userAgent = `Entrepot-Webhooks/${deps.version}`
  const secrets = createSecrets({ box, random })
  const client = createClient(deps)
  const sending = { clock, log, userAgent, outbound: client.current }
  const events = createEventReader({ db, clock })
  const claims = createClaims<WebhooksTables>({
    store: db.main,
    dialect: db.dialect,
    owner,
    random,
  })
  const questions = createWorkQuestions({
    db: reader,
    isFree: () => claims.isFree('webhooks_lanes'),
    lastSeq: events.lastSeqIn,
  })
  const counting = createCounting(bus)
  const pump = startPump({
    claimLanes: ({ limit, ...wanted }) =>
      claims.claim({
        table: 'webhooks_lanes',
        key: 'subscription_id',
        due: (query, nowMs) => query.where(isClaimable(wanted)).where('due_at', '<=', nowMs),
        order: ['due_at'],
        limit,
        leaseMs: LEASE_MS,
      }),
    dueReader: createDueReader(db),
    messages: createMessages(reader),
    attempts: createAttempts({ ...sending, secrets }),
    recorder: createRecorder(deps),
    bus,
    log,
    watch: (isDue) => lookout.watch(questions.claim, (answer) => isDue(answer !== null)),
    workers: () => settings().workers,
    observe: counting.observe,
    giveUp: client.close,
  })
  const led = lead()
  return { stop }

  function lead(): Loop {
    const entryTexts = createEntryTexts({ reader, entries: deps.entries, log })
    const dispatch = createDispatch({ ...deps, events, entryTexts, offer: pump.offer })
    const replays = createReplayWork({ ...deps, events, entryTexts })
    const unhold = createUnhold(deps)
    const resume = createResume(deps)
    const probes = createProbes({ ...sending, db })
    const mails = createMails(deps)
    const housekeeping = createHousekeeping({ ...deps, secrets })
    return createLedLoops({
      name: 'webhooks',
      ttlMs: LEAD_MS,
      leases,
      log,
      random,
      loops: [
        { ...found('dispatch', SEQUENCED_TOPIC), run: dispatch.turn },
        { ...found('unhold'), run: unhold.turn },
        { ...found('resume'), run: resume.turn },
        { ...found('replay'), run: replays.turn },
        { ...found('probe'), run: probes.turn },
        { ...found('mail'), run: mails.turn },
        { name: 'webhooks.housekeeping', everyMs: RARELY_MS, run: housekeeping.turn },
      ],
    })
  }

  /** A loop that is woken by a notice, or else by the lookout. */
  function found(name: keyof typeof questions, topic = HOUSEKEEPING_TOPIC) {
    const onNotice = (wake: () => void) => bus.subscribe(topic, wake)
    const wake = byAny(onNotice, lookout.watch(questions[name]))
    return { name: `webhooks.${name}`, ...SELDOM, wake }
  }

  async function stop() {
    await Promise.all([led.stop(), pump.stop()])
    counting.stop()
    await client.close()
  }
}
