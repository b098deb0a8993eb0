import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const BLOCK_BYTES = 1024
const MODULE = new URL('./backup-file.ts', import.meta.url).href

/** Writes bytes that cannot be compressed, so many each time. */
const PROGRAM = `
  import { createHash } from 'node:crypto'
  import { writeBackup } from '${MODULE}'
  async function* records() {
    yield { kind: 'header', header: { format: 2, tables: [] } }
    yield { kind: 'file', path: 'a' }
    const hashes = Array.from({ length: 940 }, (_, at) => createHash('sha256').update(String(at)).digest())
    yield { kind: 'bytes', bytes: Buffer.concat(hashes) }
    yield { kind: 'file end', bytes: 30080, sum: '' }
  }
  await writeBackup(process.argv[1], records())`

/** In a process whose files may have so many blocks: behind them it goes on like on a disk that is full. */
function write(path: string, blocks: number | 'unlimited') {
  const command = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
  const node = [process.execPath, '--input-type=module', '--eval', PROGRAM, path]
  return spawnSync('bash', ['-c', command, 'bash', ...node], { encoding: 'utf8' })
}

test('a backup of which the disk takes all but the last bytes is none', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'entrepot-backup-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const whole = join(directory, 'whole.entrepot')
  const { status, stderr } = write(whole, 'unlimited')
  assert.equal(status, 0, stderr)
  const blocks = Math.floor((statSync(whole).size - 1) / BLOCK_BYTES)
  const short = join(directory, 'short.entrepot')
  const refused = write(short, blocks)
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /EFBIG/)
  assert.ok(!existsSync(short) && !existsSync(`${short}.part`))
})
