import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '#test-kit'

const BINARY = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))
const SECRET = 'hunter2-hunter2-hunter2-hunter2-hunter2'

describe('help', () => {
  test('--help and help list every command with one line each', async () => {
    const help = await entrepot(['--help'], { cwd: temporaryDirectory() })
    assert.equal(help.code, 0)
    for (const command of ['start', 'config', 'migrate', 'backup <directory>', 'keys issue']) {
      assert.match(help.out, new RegExp(`^ {2}${command} +\\w.+$`, 'm'))
    }
    assert.equal(help.err, '')
    const longest = Math.max(...help.out.split('\n').map((line) => line.length))
    assert.ok(longest <= 100, 'fits a terminal of 100 columns')
    assert.equal((await entrepot(['help'], { cwd: temporaryDirectory() })).out, help.out)
  })

  test('--help after a command explains that command, whatever else is missing', async () => {
    const cwd = temporaryDirectory()
    const help = await entrepot(['backup', '--help'], { cwd })
    assert.equal(help.code, 0)
    assert.match(help.out, /^Usage: entrepot backup <directory> \[options\]$/m)
    assert.match(help.out, /master key is not in it/)
    assert.match((await entrepot(['keys', 'issue', '-h'], { cwd })).out, /--name <text>/)
    assert.equal((await entrepot(['help', 'backup'], { cwd })).out, help.out)
  })

  test('--version prints the version alone', async () => {
    for (const word of ['--version', 'version']) {
      const { code, out } = await entrepot([word], { cwd: temporaryDirectory() })
      assert.equal(code, 0)
      assert.match(out, /^\d+\.\d+\.\d+\S*\n$/)
    }
  })
})

describe('wrong use ends with exit code 2 and says what would be right', () => {
  const cases: [args: string[], message: RegExp][] = [
    [['strat'], /there is no command "strat"; did you mean "start"\?/],
    [['keys'], /"keys" is a group of commands: keys issue/],
    [['keys', 'isue'], /did you mean "keys issue"\?/],
    [['help', 'strat'], /there is no command "strat"; did you mean "start"\?/],
    [['help', 'nonsense'], /there is no command "nonsense"\n/],
    [['nonsense'], /there is no command "nonsense"\n/],
    [['--port', '1', 'start'], /name the command first/],
    [['config', '--jsn'], /unknown option '--jsn'/],
    [['config', '--config'], /'--config <value>' argument missing/],
    [['config', 'extra'], /"config" does not take "extra"/],
    [['backup'], /"backup" needs <directory>/],
    [['keys', 'issue'], /say so with --admin/],
    [['keys', 'issue', '--admin', '--name', 'x'.repeat(201)], /--name has at most 200 characters/],
    [['gateway'], /"gateway" is a group of commands: gateway export, gateway import/],
    [['gateway', 'export', '--to', 'kong'], /--to must be entrepot or apisix, not "kong"/],
    [['gateway', 'import'], /"gateway import" needs <file>/],
    [['types', '--key', 'sk_a\nb'], /the key has a line break/],
    [
      ['import', 'strapi', 'http://127.0.0.1:1', '--key', 'k', '--token', 'a\nb'],
      /the token has a/,
    ],
  ]
  for (const [args, message] of cases) {
    test(`entrepot ${args.join(' ')}`, async () => {
      const { code, out, err } = await entrepot(args, { cwd: temporaryDirectory() })
      assert.equal(code, 2)
      assert.match(err, message)
      assert.doesNotMatch(err, /\n\s+at /)
      assert.equal(out, '')
    })
  }

  test('no command at all shows the help', async () => {
    const { code, out } = await entrepot([], { cwd: temporaryDirectory() })
    assert.equal(code, 2)
    assert.match(out, /^Usage: entrepot <command>/m)
  })
})

describe('config', () => {
  test('shows every setting with its origin and no secret', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'entrepot.config.json'), '{"log": {"level": "warn"}}')
    const env = {
      ENTREPOT_PORT: '3000',
      ENTREPOT_MASTER_KEY: SECRET,
      ENTREPOT_DATABASE_URL: `postgres://shop:${SECRET}@db/shop`,
    }
    const { code, out, err } = await entrepot(['config'], { cwd, env })
    assert.equal(code, 0)
    assert.equal(err, '')
    assert.match(out, /^port +3000 +environment$/m)
    assert.match(out, /^log\.level +warn +file$/m)
    assert.match(out, /^gateway\.port +9080 +default$/m)
    assert.match(out, /^master_key +\*\*\* +environment$/m)
    assert.match(out, /^database_url +postgres:\/\/shop:\*\*\*@db\/shop +environment$/m)
    assert.match(out, /^redis_url +- +default$/m)
    assert.doesNotMatch(out, /hunter2/)
  })

  test('--json is the same for programs', async () => {
    const env = { ENTREPOT_ROLES: 'api', ENTREPOT_GATEWAY_ADMIN_KEY: SECRET }
    const { out } = await entrepot(['config', '--json'], { cwd: temporaryDirectory(), env })
    const settings = JSON.parse(out)
    assert.deepEqual(settings['roles'], { value: ['api'], origin: 'environment' })
    assert.deepEqual(settings['gateway.admin_key'], { value: '***', origin: 'environment' })
    assert.deepEqual(settings['redis_url'], { value: null, origin: 'default' })
  })

  test('--config names another file', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'other.json'), '{"port": 4000}')
    const { out } = await entrepot(['config', '--config', 'other.json'], { cwd })
    assert.match(out, /^port +4000 +file$/m)
  })
})

describe('a wrong configuration ends with exit code 1 and one clear message', () => {
  test('one problem is one line', async () => {
    const cwd = temporaryDirectory()
    const { code, out, err } = await entrepot(['start'], { cwd, env: { ENTREPOT_PROT: '1' } })
    assert.equal(code, 1)
    assert.equal(out, '')
    assert.equal(
      err,
      'entrepot: Wrong configuration: ENTREPOT_PROT is not a setting; did you mean ENTREPOT_PORT?\n',
    )
  })

  test('several problems are one line each under a heading', async () => {
    const env = { ENTREPOT_PORT: 'x', ENTREPOT_STARTER: 'y' }
    const { code, err } = await entrepot(['config'], { cwd: temporaryDirectory(), env })
    assert.equal(code, 1)
    assert.equal(err.trimEnd().split('\n').length, 3)
  })

  test('a broken or absent file is named', async () => {
    const cwd = temporaryDirectory()
    const absent = await entrepot(['config', '--config', 'absent.json'], { cwd })
    assert.equal(absent.code, 1)
    assert.match(absent.err, /absent\.json: there is no such file\n$/)
    writeFileSync(join(cwd, 'entrepot.config.json'), '{"port": }')
    const broken = await entrepot(['config'], { cwd })
    assert.equal(broken.code, 1)
    assert.match(broken.err, /entrepot\.config\.json is not valid JSON/)
  })

  test('--debug adds where it arose', async () => {
    const env = { ENTREPOT_PROT: '1' }
    const { code, err } = await entrepot(['config', '--debug'], { cwd: temporaryDirectory(), env })
    assert.equal(code, 1)
    assert.match(err, /\n\s+at /)
  })
})

async function entrepot(
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [BINARY, ...args], { cwd, env: { PATH, ...env } })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { out, err, code }
}
