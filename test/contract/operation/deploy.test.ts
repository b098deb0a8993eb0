import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { parseConfig } from '#config'
import {
  ADMIN_KEY,
  createCalls,
  freePort,
  installation,
  linkPackages,
  listenersOn,
  needPrograms,
  startServer,
  temporaryDirectory,
  until,
} from '#test-kit'
import { parseYaml } from '#yaml'
import { createCertificate } from '../../conformance/support/certificate.ts'
import { blocksOf, environmentIn, ROOT, read, readDockerfile } from './deploy-files.ts'

const LIMITS = { maxDepth: 20, maxValues: 1_000 }
const GUIDE = 'docs/guides/deploy.md'
/** Of 10; what systemd calls OK ends at 4. */
const MOST_EXPOSED = 3

describe('deploy/Dockerfile', () => {
  const instructions = readDockerfile('deploy/Dockerfile')
  const last = Math.max(...instructions.map(({ stage }) => stage))
  const copies = instructions
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
    .map(({ rest }) => ({ from: rest.split(' ').slice(0, -1), to: rest.split(' ').at(-1) ?? '' }))

  test('operation: the image has no tools, an unprivileged user, a volume, and no shell around the program', () => {
    const final = instructions.filter(({ stage }) => stage === last)
    const find = (word: string) => final.find((each) => each.word === word)?.rest ?? ''
    assert.ok(last > 1)
    assert.equal(find('USER'), 'entrepot')
    assert.match(find('VOLUME'), /\/data/)
    for (const word of ['ENTRYPOINT', 'CMD']) assert.ok(Array.isArray(JSON.parse(find(word))))
    const given = final.filter(({ word }) => word === 'ENV').map(({ rest }) => rest)
    assertSettings(environmentIn(given.join(' ').replaceAll(/\s+/g, '\n')))
  })

  test('operation: what it copies is there, reaches the builder, and is enough to pack', () => {
    const build = temporaryDirectory()
    const sent = read('.dockerignore').split('\n')
    for (const { from, to } of copies) {
      for (const source of from) {
        assert.ok(existsSync(join(ROOT, source)), source)
        assert.ok(sent.includes(`!${source}`), `.dockerignore keeps ${source} away`)
        const isFolder = to.endsWith('/')
        const target = join(build, to, isFolder ? (source.split('/').at(-1) ?? '') : '')
        mkdirSync(dirname(target), { recursive: true })
        cpSync(join(ROOT, source), target, { recursive: true, preserveTimestamps: true })
      }
    }
    linkPackages(build)
    const pack = instructions.find(({ rest }) => rest.includes('npm pack'))?.rest ?? ''
    execFileSync('sh', ['-ec', pack], { cwd: build, stdio: 'pipe' })
    const [archive = ''] = readdirSync(join(build, 'packed'))
    const list = execFileSync('tar', ['-tzf', join(build, 'packed', archive)], { encoding: 'utf8' })
    for (const path of ['bin/entrepot.mjs', 'dist/src/cli.js', 'dist/built-from', 'LICENSE']) {
      assert.ok(list.includes(`package/${path}\n`), path)
    }
    assert.ok(!list.includes('package/src/'))
  })
})

describe('deploy/compose.yaml', () => {
  test('operation: it names settings, services and volumes that exist, and asks for every secret', () => {
    // biome-ignore lint/suspicious/noExplicitAny: a file of another program
    const file: any = parseYaml(read('deploy/compose.yaml'), LIMITS).value
    const { entrepot } = file.services
    assertSettings(entrepot.environment)
    assert.deepEqual(Object.keys(entrepot.depends_on), ['postgres', 'redis'])
    for (const [name, service] of Object.entries<Record<string, object>>(file.services)) {
      if (name !== 'entrepot') assert.ok(service['healthcheck'], name)
      for (const volume of Object.values(service['volumes'] ?? {})) {
        const [named = ''] = String(volume).split(':')
        assert.ok(Object.hasOwn(file.volumes, named), named)
      }
    }
    const secrets = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    )
    assert.deepEqual([...new Set(secrets)], ['POSTGRES_PASSWORD', 'ENTREPOT_MASTER_KEY'])
    for (const port of entrepot.ports) assert.match(port, /^127\.0\.0\.1:/, 'not to everybody')
    assert.ok(existsSync(join(ROOT, 'deploy', entrepot.build.context, entrepot.build.dockerfile)))
    const { subnet, gateway } = file.networks.default.ipam.config[0]
    assert.equal(entrepot.environment.ENTREPOT_TRUSTED_PROXIES, gateway)
    assert.ok(subnet.startsWith('172.30.0.'))
  })
})

describe('deploy/entrepot.service', () => {
  test('operation: systemd takes the unit and finds it little exposed', () => {
    needPrograms('systemd-analyze')
    const unit = read('deploy/entrepot.service')
    assertSettings(environmentIn(unit))
    const copy = join(temporaryDirectory(), 'entrepot.service')
    // Where it will be installed there is nothing here.
    writeFileSync(copy, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const verified = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', copy], {
      encoding: 'utf8',
    })
    const exposure = Number(
      /exposure level for entrepot.service: ([\d.]+)/.exec(judged.stdout)?.[1],
    )
    assert.ok(exposure <= MOST_EXPOSED, `${exposure} ${judged.stderr}`)
  })
})

describe('proxies before a server', () => {
  for (const [file, start] of [
    ['deploy/nginx.conf', startNginxAsDeployed],
    ['deploy/Caddyfile', startCaddyAsDeployed],
  ] as const) {
    test(`operation: through ${file} links say https, the log the client, and streams come as they are written`, async (t) => {
      const server = await startServer(
        await installation('sqlite', {
          ...environmentIn(read(file).replaceAll(/^# +/gm, '')),
          ENTREPOT_ADMIN_KEY: ADMIN_KEY,
          ENTREPOT_STARTER: 'types',
        }),
      )
      assert.equal(server.env['ENTREPOT_TRUSTED_PROXIES'], '127.0.0.1')
      const { ok } = createCalls(() => server.url)
      for (const title of ['a', 'b']) await ok('POST', '/api/v1/articles', { body: { title } })
      const route = { uri: '/ready', upstream_id: 'entrepot' }
      await ok('PUT', '/gateway/admin/routes/ready', { body: route })
      const proxy = await start(server.env)
      t.after(proxy.kill)

      const list = await ask(proxy.tlsPort, '/api/v1/articles?limit=1')
      assert.equal(list.status, 200, list.body)
      assert.match(String(list.headers['link']), /<https:\/\/api\.example\.com\//)
      await until(async () => server.log().includes('"remote_addr":"127.0.0.9"') || undefined)
      const routed = await ask(proxy.tlsPort, '/ready', 'gateway.example.com')
      assert.equal(routed.status, 200, routed.body)
      const plain = await get(`http://127.0.0.1:${proxy.port}/docs?x=1`)
      assert.equal(plain.statusCode, 308)
      assert.equal(plain.headers['location'], 'https://api.example.com/docs?x=1')
      plain.resume()
      await assertStreams(proxy.tlsPort)
    })
  }

  test('operation: the health check of the image knows whether the server is well', async () => {
    const server = await startServer(await installation('sqlite'))
    const healthy = checkHealth({ ENTREPOT_PORT: server.env['ENTREPOT_PORT'] ?? '' })
    assert.equal(healthy, 0)
    assert.equal(checkHealth({ ENTREPOT_PORT: String(await freePort()) }), 1)
  })
})

describe('docs/guides/deploy.md', () => {
  test('operation: its commands are commands, its settings settings, and its files are there', () => {
    const commands = blocksOf(GUIDE, 'sh')
    assert.ok(commands.length > 4)
    for (const block of commands) {
      const { status, stderr } = spawnSync('sh', ['-n'], { input: block, encoding: 'utf8' })
      assert.equal(status, 0, `${block}: ${stderr}`)
    }
    for (const [, path = ''] of read(GUIDE).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      assert.ok(existsSync(join(ROOT, dirname(GUIDE), path)), path)
    }
    const { version } = JSON.parse(read('package.json'))
    for (const [, named] of read(GUIDE).matchAll(/entrepot-([\d.]+)\.tgz/g)) {
      assert.equal(named, version)
    }
  })

  test('operation: the block that writes the settings writes such that a start takes', () => {
    const [block = ''] = blocksOf(GUIDE, 'sh').filter((each) => each.includes('cat > /etc'))
    const file = join(temporaryDirectory(), 'entrepot.env')
    execFileSync('sh', ['-ec', block.replace('/etc/entrepot.env', file)])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const made = environmentIn(readFileSync(file, 'utf8'))
    assertSettings(made)
    assert.match(made['ENTREPOT_MASTER_KEY'] ?? '', /^[0-9a-f]{64}$/)
  })

  test('operation: the block that makes the secrets of compose makes them', () => {
    const [block = ''] = blocksOf(GUIDE, 'sh').filter((each) => each.includes('deploy/.env'))
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'deploy'))
    const withoutEngine = block.replaceAll(/^docker .*$/gm, '')
    execFileSync('sh', ['-ec', withoutEngine], { cwd })
    const made = readFileSync(join(cwd, 'deploy/.env'), 'utf8')
    assert.equal(statSync(join(cwd, 'deploy/.env')).mode & 0o777, 0o600)
    assert.match(made, /^POSTGRES_PASSWORD=[0-9a-f]{32}\nENTREPOT_MASTER_KEY=[0-9a-f]{64}\n$/)
    assertSettings(environmentIn(made))
  })
})

/** Each is a setting and has a value it takes; what compose fills in is text. */
function assertSettings(env: Readonly<Record<string, string>>): void {
  assert.ok(Object.keys(env).length > 0)
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    String(value)
      .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
      .replaceAll(/\$\{[^}]*\}/g, 'x'.repeat(32)),
  ])
  assert.doesNotThrow(() =>
    parseConfig({ env: Object.fromEntries(filled), cwd: temporaryDirectory() }),
  )
}

async function startNginxAsDeployed(env: Readonly<Record<string, string>>) {
  needPrograms('nginx')
  const directory = temporaryDirectory()
  const [port, tlsPort] = [await freePort(), await freePort()]
  const { cert, key } = createCertificate(['api.example.com', 'gateway.example.com'])
  writeFileSync(join(directory, 'cert.pem'), cert)
  writeFileSync(join(directory, 'key.pem'), key)
  const included = read('deploy/nginx.conf')
    .replaceAll(/^ +listen \[::\].*\n/gm, '')
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${tlsPort} `)
    .replaceAll(/\/etc\S+fullchain.pem/g, join(directory, 'cert.pem'))
    .replaceAll(/\/etc\S+privkey.pem/g, join(directory, 'key.pem'))
    .replace('127.0.0.1:8080', `127.0.0.1:${env['ENTREPOT_PORT']}`)
    .replace('127.0.0.1:9080', `127.0.0.1:${env['ENTREPOT_GATEWAY_PORT']}`)
  const file = join(directory, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr emerg;
events { worker_connections 64; }
http { access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
${included} }`,
  )
  const checked = spawnSync('nginx', ['-t', '-p', directory, '-c', file], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const nginx = spawn('nginx', ['-p', directory, '-c', file], { stdio: 'ignore' })
  await until(() => listenersOn(tlsPort) > 0 || undefined)
  return { port, tlsPort, kill: () => void nginx.kill('SIGKILL') }
}

/** With certificates of its own instead of those that the Internet would give it. */
async function startCaddyAsDeployed(env: Readonly<Record<string, string>>) {
  needPrograms('caddy')
  const directory = temporaryDirectory()
  const [port, tlsPort] = [await freePort(), await freePort()]
  const options = [
    ...['admin off', 'local_certs', 'skip_install_trust', 'default_bind 127.0.0.1'],
    ...[`http_port ${port}`, `https_port ${tlsPort}`, `storage file_system ${directory}/stored`],
  ]
  const sites = read('deploy/Caddyfile')
    .replace('127.0.0.1:8080', `127.0.0.1:${env['ENTREPOT_PORT']}`)
    .replace('127.0.0.1:9080', `127.0.0.1:${env['ENTREPOT_GATEWAY_PORT']}`)
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, `{\n\t${options.join('\n\t')}\n}\n${sites}`)
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: process.env['PATH'] ?? '', HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let told = ''
  caddy.stderr.on('data', (chunk) => {
    told += chunk
  })
  const isReady = async () => (await ask(tlsPort, '/ready').catch(() => undefined)) && true
  await until(isReady, { withinMs: 30_000, what: 'Caddy' }).catch((error: Error) =>
    assert.fail(`${error.message}: ${told}`),
  )
  return { port, tlsPort, kill: () => void caddy.kill('SIGKILL') }
}

async function ask(port: number, path: string, host = 'api.example.com') {
  const answer = await open(port, path, host)
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

/** The answer as soon as its head is there; a client of another address. */
async function open(port: number, path: string, host: string): Promise<IncomingMessage> {
  const asked = request({
    ...{ host: '127.0.0.1', port, path, servername: host },
    localAddress: '127.0.0.9',
    rejectUnauthorized: false,
    headers: { host, 'x-api-key': ADMIN_KEY },
  }).end()
  const [answer] = await once(asked, 'response')
  return answer
}

async function get(url: string): Promise<IncomingMessage> {
  const [answer] = await once(
    plainRequest(url, { headers: { host: 'api.example.com' } }).end(),
    'response',
  )
  return answer
}

/** A line that is written after the answer has begun reaches the client while it goes on. */
async function assertStreams(port: number): Promise<void> {
  const stream = await open(port, '/api/v1/overview/log/stream', 'api.example.com')
  assert.equal(stream.statusCode, 200)
  let seen = ''
  stream.on('data', (chunk) => {
    seen += chunk
  })
  await ask(port, '/api/v1/nothing-of-the-kind')
  await until(() => seen.includes('nothing-of-the-kind') || undefined, { what: 'the line' })
  assert.ok(!stream.readableEnded)
  stream.destroy()
}

/** The health check of the image, by the Node of this checkout. */
function checkHealth(env: Record<string, string>): number | null {
  const check = readDockerfile('deploy/Dockerfile').find(({ word }) => word === 'HEALTHCHECK')
  const command = JSON.parse(check?.rest.slice(check.rest.indexOf('[')) ?? '[]')
  return spawnSync(process.execPath, command.slice(1), { env }).status
}
