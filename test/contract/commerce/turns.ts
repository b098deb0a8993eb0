import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bulkCalls } from './bulk.ts'
import { anotherUser, type CommerceServer, commerceSuite } from './support.ts'

interface Size {
  readonly products: number
  readonly ofOneSku: number
}

export const turns = commerceSuite('turns of users', (commerce) => {
  test('commerce §5.2: however much one user has sent, another does not wait for it', async () => {
    await takeTurns(commerce, { products: 4_000, ofOneSku: 400 })
  })
})

/** One user sends many products and many changes of one; what another sends then is done long before. */
export async function takeTurns(
  commerce: Pick<CommerceServer, 'call' | 'ok' | 'one'>,
  { products, ofOneSku }: Size,
) {
  const { post, finished, countOf } = bulkCalls(commerce)
  const { key } = await anotherUser(commerce, 'turns@example.org')
  const product = (sku: string, price: number) => ({ sku, name: sku, price })
  const many = await post(Array.from({ length: ofOneSku }, (_, n) => product('turn-x', n)))
  const more = await post(Array.from({ length: products }, (_, n) => product(`turn-${n}`, n)))
  const { bulk_uuid: behind } = await post([product('turn-x', 9_999)], { key })
  const { bulk_uuid: single } = await post([product('turn-y', 1)], { key })

  await finished(single)
  const [openOfOne, openOfAll] = [
    await countOf(many.bulk_uuid, 4),
    await countOf(more.bulk_uuid, 4),
  ]
  assert.ok(openOfAll > products / 4, `only ${openOfAll} of ${products} were left`)
  assert.ok(openOfOne > ofOneSku / 4, `only ${openOfOne} of ${ofOneSku} were left`)

  for (const uuid of [many.bulk_uuid, more.bulk_uuid, behind]) {
    const { state } = (await finished(uuid, 240_000)).extension_attributes
    assert.equal(state, 'finished')
  }
  assert.equal((await commerce.one('turn-x')).price, 9_999, 'arrival decides for one SKU')
  return { openOfOne, openOfAll }
}
