import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { test } from 'node:test'
import { eachDatabase } from '#test-kit'
import { createDice } from '../conformance/content-query/random.ts'
import { compareAll } from '../conformance/warm/compare.ts'
import { allTemplates, pickValue } from '../conformance/warm/templates.ts'
import { startTwins } from '../conformance/warm/twins.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const VALUES = Number(process.env['VALUES'] ?? 6)

eachDatabase('many values asked after others', (kind) => {
  const start = AsyncResource.bind(() => startTwins(kind))

  test(`reads finding 1: are answered byte for byte as by a fresh server (SEED=${SEED})`, async () => {
    const twins = await start()
    const templates = allTemplates()
    const { answers, statuses } = await compareAll(twins, templates, (at) => {
      const dice = createDice(SEED * 10_000 + at)
      return Array.from({ length: VALUES }, () => pickValue(dice))
    })
    assert.equal(answers, templates.length * VALUES)
    assert.ok((statuses.get(200) ?? 0) > answers / 4, 'many are answered')
  })
})
