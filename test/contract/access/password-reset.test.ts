import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  ADMIN_KEY,
  eachDatabase,
  installation,
  runEntrepot,
  type SmtpSink,
  shareServer,
  startBrowser,
  startServer,
  startSmtp,
  type TestServer,
  until,
} from '#test-kit'
import { caller } from './support.ts'

const PASSWORD = 'correct horse battery'
const HOUR_MS = 3_600_000
const BIN = fileURLToPath(new URL('../../../bin/entrepot.mjs', import.meta.url))

interface MailingServer extends TestServer {
  readonly smtp: SmtpSink
}

eachDatabase('password reset', (kind) => {
  const server = shareServer<MailingServer>(async () => {
    const smtp = await startSmtp()
    const env = await installation(kind, {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_SMTP_URL: smtp.url,
      ENTREPOT_SMTP_SENDER: 'entrepot@example.org',
      ENTREPOT_TRUSTED_PROXIES: '127.0.0.1',
    })
    return { ...(await startServer(env)), smtp }
  })
  const { call, createUser } = caller(() => server().url)
  let address = 0

  /** From another address each time, unless one is given. */
  function ask(body: unknown, from = `192.0.2.${++address}`) {
    return call('POST', '/sign-in/reset', { key: null, body, headers: { 'x-forwarded-for': from } })
  }

  function set(token: string, password: string) {
    return call('POST', '/sign-in/password', { key: null, body: { token, password } })
  }

  async function signIn(email: string, password: string) {
    const from = { 'x-forwarded-for': `198.51.100.${++address}` }
    return call('POST', '/sign-in', { key: null, body: { email, password }, headers: from })
  }

  const mailsTo = (email: string) =>
    server().smtp.mails.filter((mail) => mail.toLowerCase().includes(`to: ${email}`))

  async function linkTo(email: string, nth = 1) {
    const mail = await until(() => mailsTo(email)[nth - 1])
    const link = /https?:\/\/\S+/.exec(mail.replaceAll('=\n', ''))?.[0] ?? ''
    return { link, token: link.split('#')[1] ?? '' }
  }

  test('access 14: a link by e-mail sets a new password once, and ends every sign-in', async () => {
    const email = 'forgetful@example.com'
    await createUser(email, { password: PASSWORD })
    const cookie = (await signIn(email, PASSWORD)).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const asked = await ask({ email: 'FORGETFUL@example.com' })
    assert.deepEqual([asked.status, asked.body], [202, { data: { accepted: true } }])
    const { link, token } = await linkTo(email)
    assert.ok(link.startsWith(`${server().url}/password#`), link)
    assert.match(token, /^\w{48}$/)
    assert.equal((await set(token, 'short')).status, 400)
    assert.equal((await set(token, 'a new password')).status, 204)
    const again = await set(token, 'another password')
    assert.deepEqual([again.status, again.body.error.code], [422, 'reset_invalid'])
    assert.equal((await signIn(email, PASSWORD)).status, 401)
    assert.equal((await signIn(email, 'a new password')).status, 200)
    assert.equal((await call('GET', '/me', { key: null, headers: { cookie } })).status, 401)
    assert.equal(server().log().includes(token), false)
    assert.equal(server().output().includes(token), false)
  })

  test('access 14: the answer is the same whoever is asked for, and its link cannot be chosen', async () => {
    const email = 'known@example.com'
    await createUser(email, { password: PASSWORD })
    await createUser('gone@example.com', { password: PASSWORD })
    const { data } = (await call('GET', '/users?email=gone@example.com')).body
    await call('PATCH', `/users/${data[0].id}`, { body: { status: 'disabled' } })
    const answers = []
    for (const name of [email, 'gone@example.com', 'nobody@example.com', 'no address', '']) {
      const { status, body } = await ask({ email: name })
      answers.push(JSON.stringify([status, body]))
    }
    assert.equal(new Set(answers).size, 1)
    await linkTo(email)
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.200' }
    await call('POST', '/sign-in/reset', { key: null, body: { email }, headers: forged })
    const { link } = await linkTo(email, 2)
    assert.equal(link.includes('evil.example'), false)
    assert.deepEqual([mailsTo('gone@example.com').length, mailsTo('nobody@').length], [0, 0])
    for (const body of [{}, { email: 7 }, [], { email, more: 1 }]) {
      assert.equal((await ask(body)).status, 400)
    }
    const foreign = { key: null, body: { email }, headers: { origin: 'https://evil.example' } }
    assert.equal((await call('POST', '/sign-in/reset', foreign)).status, 403)
  })

  test('access 14: a link ends after an hour, with another address, and with a password set otherwise', async () => {
    for (const [index, end] of [
      () => server().setClockOffset(HOUR_MS + 60_000),
      (id: number) => call('PATCH', `/users/${id}`, { body: { email: 'moved@example.com' } }),
      (id: number) => call('PATCH', `/users/${id}`, { body: { password: 'set by an admin' } }),
    ].entries()) {
      const email = `ending-${index}@example.com`
      const { id } = await createUser(email, { password: PASSWORD })
      await ask({ email })
      const { token } = await linkTo(email)
      await end(id)
      assert.equal((await set(token, 'a new password')).status, 422, email)
      await server().setClockOffset(0)
    }
  })

  test('access 14: many questions bring few mails', async () => {
    const email = 'flooded@example.com'
    await createUser(email, { password: PASSWORD })
    for (let n = 0; n < 12; n++) assert.equal((await ask({ email })).status, 202)
    const last = 'last@example.com'
    await createUser(last, { password: PASSWORD })
    await ask({ email: last })
    await linkTo(last)
    assert.equal(mailsTo(email).length, 3)
    const from = '192.0.2.250'
    for (let n = 0; n < 21; n++) await ask({ email: `nobody-${n}@example.com` }, from)
    const late = 'late@example.com'
    await createUser(late, { password: PASSWORD })
    assert.equal((await ask({ email: late }, from)).status, 202)
    const other = 'other@example.com'
    await createUser(other, { password: PASSWORD })
    await ask({ email: other })
    await linkTo(other)
    assert.equal(mailsTo(late).length, 0)
  })

  test('access 14: a mail server that is busy is asked again', async () => {
    const email = 'patient@example.com'
    await createUser(email, { password: PASSWORD })
    const { smtp } = server()
    smtp.isBusy = true
    await ask({ email })
    await until(() => smtp.refused > 0)
    smtp.isBusy = false
    await until(() => mailsTo(email).length === 1)
  })

  test('access 14: the host sets a password of its own, or makes one', async () => {
    const email = 'on-host@example.com'
    await createUser(email, { password: PASSWORD })
    const made = await runEntrepot(['users', 'password', email, '--generate'], server().env)
    assert.equal(made.code, 0, made.output)
    const password = made.output.trim().split('\n').at(-1) ?? ''
    assert.match(password, /^\w{20}$/)
    assert.equal((await signIn(email, password)).status, 200)
    assert.equal((await signIn(email, PASSWORD)).status, 401)
    const typed = spawn(process.execPath, [BIN, 'users', 'password', email], {
      env: { PATH: process.env['PATH'] ?? '', ...server().env },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    typed.stdin.end('typed on the host\n')
    assert.deepEqual(await once(typed, 'exit'), [0, null])
    assert.equal((await signIn(email, 'typed on the host')).status, 200)
    const unknown = await runEntrepot(['users', 'password', 'x@y', '--generate'], server().env)
    assert.equal(unknown.code, 1)
    assert.match(unknown.output, /There is no user with the e-mail address x@y/)
    const silent = await runEntrepot(['users', 'password', email], server().env)
    assert.equal(silent.code, 2)
    assert.match(silent.output, /no password was given.*--generate/)
  })

  // A browser takes seconds to start, and does the same on both databases.
  if (kind === 'sqlite') {
    test('access 14: the page of the link sets the password, and asks for a link without one', async () => {
      const email = 'browsing@example.com'
      await createUser(email, { password: PASSWORD })
      const page = await (await startBrowser()).newPage()
      const complaints: string[] = []
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(`${server().url}/password`)
      await page.fill('#email', email)
      await page.click('text=Send me a link')
      await page.waitForSelector('text=a mail with a link is on its way')
      const { link } = await linkTo(email)
      await page.goto('about:blank')
      await page.goto(link)
      assert.equal(page.url(), `${server().url}/password`, 'the token is not left in the address')
      await page.fill('#password', 'typed in a browser')
      await page.click('text=Set password')
      await page.waitForSelector('text=Your new password is set')
      assert.equal((await signIn(email, 'typed in a browser')).status, 200)
      assert.deepEqual(complaints, [])
    })
  }
})
