import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { createDice } from './content-query/random.ts'
import { compareAll } from './warm/compare.ts'
import { allTemplates, pickValue } from './warm/templates.ts'
import { startTwins } from './warm/twins.ts'

const SEED = Number(process.env['SEED'] ?? 20_26)
/**
 * Every third of the templates, on each database others; `npm run test:long` asks all of both, with more values. Each
 * field has a number of templates that is no multiple, so that all operators have their turn.
 */
const FIRST = { sqlite: 1, postgres: 0 } as const

eachDatabase('a value asked after two others', (kind) => {
  const start = AsyncResource.bind(() => startTwins(kind))

  test('reads finding 1: is answered byte for byte as by a fresh server, in every field, operator and dialect', async () => {
    const twins = await start()
    const templates = allTemplates().filter((_, at) => at % 3 === FIRST[kind])
    const { answers, statuses } = await compareAll(twins, templates, (at) => [
      pickValue(createDice(SEED + at)),
    ])
    assert.equal(answers, templates.length)
    assert.ok((statuses.get(200) ?? 0) > answers / 4, 'many are answered')
    assert.ok((statuses.get(400) ?? 0) > answers / 10, 'and many refused')
  })
})
