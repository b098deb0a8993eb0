import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCli } from '#cli'
import { runEntrepot, temporaryDirectory } from '#test-kit'
import { parseYaml } from '#yaml'
import { GATEWAY_KEY, type GatewayServer } from './support.ts'

const LIMITS = { maxDepth: 64, maxValues: 1_000_000 }

export const parse = (text: string) => parseYaml(text, LIMITS).value

/** Exports of a server and imports into it, by the commands themselves. */
export function createExchange({ server, admin }: GatewayServer) {
  const directory = temporaryDirectory()
  let count = 0
  return { directory, store, stored, exportTo, exported, importFrom, fileOf }

  async function store(body: object) {
    const { status, body: answer } = await admin('PUT', '/configs', { body })
    assert.equal(status, 202, JSON.stringify(answer))
  }

  async function stored() {
    const { body } = await admin('GET', '/configs')
    const lists = Object.entries(body).filter(([name]) => !name.endsWith('_conf_version'))
    return Object.fromEntries(lists.filter(([, list]) => Array.isArray(list) && list.length > 0))
  }

  /** A directory of files. */
  async function exportTo(...words: string[]) {
    const out = join(directory, String(++count))
    const args = ['gateway', 'export', '--out', out, ...words]
    const { code, output } = await runEntrepot(args, server().env)
    assert.equal(code, 0, output)
    return { out, output, read: (name: string) => readFileSync(join(out, name), 'utf8') }
  }

  async function exported() {
    return parse((await exportTo('--with-secrets')).read('gateway.yaml'))
  }

  async function importFrom(file: string, ...words: string[]) {
    const target = ['--url', server().url, '--key', GATEWAY_KEY]
    const said: Record<'out' | 'err', string[]> = { out: [], err: [] }
    const code = await runCli(['gateway', 'import', file, ...target, ...words], {
      out: (text) => void said.out.push(text, ''),
      err: (text) => void said.err.push(text, ''),
      write: async () => {},
    })
    return { code, out: said.out.join('\n'), err: said.err.join('\n') }
  }

  function fileOf(text: string) {
    const file = join(directory, `${++count}.yaml`)
    writeFileSync(file, text)
    return file
  }
}
