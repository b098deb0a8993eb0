/** Goes on without a master key that is lost: makes anew what can be, removes what cannot be read. */
import { resetCommerceSecrets } from '#commerce'
import type { Config } from '#config'
import type { Tx } from '#db'
import { resetGatewaySecrets } from '#gateway'
import { random } from '#kernel'
import { resetScraperSecrets } from '#scrapers'
import { type LostSecret, resetKernelSecrets } from '#secrets'
import { resetWebhookSecrets } from '#webhooks'
import { openAlone } from './platform.ts'

/** Ends the transaction in which the losses were found without keeping anything of it. */
class OnlyLooked extends Error {}

/**
 * Lists what no key opens, and resets it when `confirm` agrees. Null when nothing is lost or it does not.
 * The server must be stopped; of several nodes, all.
 */
export async function resetSecrets(
  config: Config,
  confirm: (lost: readonly LostSecret[]) => Promise<boolean>,
): Promise<readonly LostSecret[] | null> {
  const { database, box, clock, revisions, isKeyKnown, stop } = await openAlone(config)
  const { main, dialect } = database
  try {
    const lost = await look()
    if (lost.length === 0 && isKeyKnown) return null
    if (!(await confirm(lost))) return null
    return await main.transaction(undefined, resetAll)
  } finally {
    await stop()
  }

  async function look(): Promise<readonly LostSecret[]> {
    let found: readonly LostSecret[] = []
    try {
      await main.transaction(undefined, async (tx) => {
        found = await resetAll(tx)
        throw new OnlyLooked()
      })
    } catch (error) {
      if (!(error instanceof OnlyLooked)) throw error
    }
    return found
  }

  async function resetAll(tx: Tx): Promise<LostSecret[]> {
    return [
      ...(await resetKernelSecrets(tx, { box, dialect })),
      ...(await resetWebhookSecrets(tx, { box, random })),
      ...(await resetScraperSecrets(tx, { box })),
      ...(await resetCommerceSecrets(tx, { box, nowMs: clock.now() })),
      ...(await resetGatewaySecrets(tx, { box, revisions, nowMs: clock.now() })),
    ]
  }
}
