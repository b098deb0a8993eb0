import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { installation, runEntrepot, startServer, until } from '#test-kit'
import type { OperationServer } from './support.ts'

/** Every five seconds, two of them kept; so the whole suite runs beside backups. */
export const BACKUPS = { ENTREPOT_BACKUP_SCHEDULE: '*/5 * * * * *', ENTREPOT_BACKUP_KEEP: '2' }

export function scheduledBackupsSuite({ server }: OperationServer): void {
  describe('backups by schedule', () => {
    const directory = () => join(server().dataDir, 'backups')
    const made = () => readdirSync(directory()).filter((name) => name.endsWith('.entrepot'))

    test('operation 14: they are made while the server runs, and only the newest are kept', async () => {
      const left = 'entrepot-20200101T000000Z.entrepot.part'
      mkdirSync(directory(), { recursive: true, mode: 0o700 })
      const growing = 'entrepot-20200101T000001Z.entrepot.part'
      for (const name of [left, growing, 'by-hand.entrepot.part']) {
        writeFileSync(join(directory(), name), '')
      }
      const longAgo = new Date('2020-01-01')
      for (const name of [left, 'by-hand.entrepot.part']) {
        utimesSync(join(directory(), name), longAgo, longAgo)
      }
      // One of them begins after these were there.
      const before = await runs('success')
      await until(async () => (await runs('success')) >= Math.max(3, before + 2) || undefined, {
        withinMs: 60_000,
        what: 'three backups',
      })
      // The third is removed after the newest is whole.
      await until(() => made().length === 2 || undefined, { what: 'two backups' })
      const parts = readdirSync(directory()).filter((name) => name.endsWith('.part'))
      assert.ok(!parts.includes(left), 'what a process has left that died')
      assert.ok(parts.includes(growing), 'what another node writes')
      assert.ok(parts.includes('by-hand.entrepot.part'), 'what another command writes')
      rmSync(join(directory(), growing))
      const newest = made().sort().at(-1) ?? ''
      assert.match(newest, /^entrepot-\d{8}T\d{6}Z\.entrepot$/)
      assert.equal(statSync(join(directory(), newest)).mode & 0o077, 0)
      const { code, output } = await runEntrepot(['doctor'], server().env)
      assert.match(output, /ok +backups: .*the newest is of/, `${code}`)
    })

    test('operation 14: what cannot be written is told, older ones stay, and it goes on by itself', async () => {
      const [kept = ''] = made().sort().slice(-1)
      const aside = join(server().dataDir, 'kept.entrepot')
      const before = await runs('failure')
      const copy = await runEntrepot(['backup', aside], server().env)
      assert.equal(copy.code, 0, copy.output)
      rmSync(directory(), { recursive: true })
      writeFileSync(directory(), 'no directory')
      await until(async () => (await runs('failure')) > before || undefined, {
        withinMs: 30_000,
        what: 'a failed backup',
      })
      await until(() => /a backup could not be made/.test(server().log()) || undefined, {
        what: 'its line in the log',
      })
      rmSync(directory())
      mkdirSync(directory(), { mode: 0o700 })
      await until(() => made().some((name) => name > kept) || undefined, {
        withinMs: 30_000,
        what: 'a new backup',
      })
    })

    test('operation 14: a directory that can never be made fails each time, and holds nothing up', async () => {
      // It takes no directories and says so as if there were no /proc.
      const settings = { ...BACKUPS, ENTREPOT_BACKUP_DIRECTORY: '/proc/entrepot/backups' }
      const other = await startServer({ ...(await installation('sqlite')), ...settings })
      const told = () =>
        other.log().match(/\/proc\/entrepot\/backups cannot be made: .*Set backup\.directory/g)
      await until(() => Number(told()?.length) > 1 || undefined, {
        withinMs: 30_000,
        what: 'two failed backups',
      })
      other.signal('SIGTERM')
      assert.equal(await other.exited(), 0)
    })

    test('operation 14: a schedule that is none is refused at the start', async () => {
      const env = { ...(await installation('sqlite')), ENTREPOT_BACKUP_SCHEDULE: 'every day' }
      const { code, output } = await runEntrepot(['config'], env)
      assert.equal(code, 1)
      assert.match(output, /BACKUP_SCHEDULE must be a cron expression/)
    })

    async function runs(result: string): Promise<number> {
      const text = await (await fetch(`${server().url}/metrics`)).text()
      return Number(
        new RegExp(`^backup_runs_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
      )
    }
  })
}
