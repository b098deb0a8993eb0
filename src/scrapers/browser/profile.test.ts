import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProfile, removeProfile } from './profile.ts'

test('scrapers render: what a killed process left goes, what belongs to a machine with a longer name stays', async (t) => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const profileOf = (machine: string, owner: number) =>
    join(tmpdir(), `entrepot-chromium-${machine}-${owner}-abc123`)
  const left = profileOf(hostname(), pid)
  const others = profileOf(`${hostname()}-${pid}`, process.pid)
  for (const profile of [left, others]) mkdirSync(profile)
  t.after(() => rmSync(others, { recursive: true }))
  const own = await createProfile(null)
  t.after(() => removeProfile(own))
  assert.deepEqual([left, others, own].map(existsSync), [false, true, true])
})
