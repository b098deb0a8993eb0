import { maskQuery } from '#http-text'
import type { Log } from '#kernel'
import type { Context } from './context.ts'

interface Deps {
  readonly log: Pick<Log, 'info'>
  /** Writes finished lines to where the log goes. */
  write(lines: string): void
  readonly name: string
  now(): number
}

const FLUSH_MS = 100
const FLUSH_CHARACTERS = 32 * 1024

/** One JSON line per request (contract §11). Written by hand: it is made for every request. */
export function createAccessLog({ write, name, now }: Omit<Deps, 'log'>) {
  const thread = JSON.stringify(name)
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let lastSecond = 0
  let lastDate = ''
  let lastTime = ''
  return { note, flush }

  /** The clock is asked once in a millisecond, the calendar once in a second. */
  function time(atMs: number): string {
    if (atMs - askedAt < 1) return lastTime
    askedAt = atMs
    const ms = now()
    const second = Math.floor(ms / 1000)
    if (second !== lastSecond) {
      lastSecond = second
      lastDate = new Date(second * 1000).toISOString().slice(0, 20)
    }
    lastTime = `${lastDate}${digits(ms - second * 1000)}Z`
    return lastTime
  }

  function note(ctx: Context, status: number, durationMs: number): void {
    const { resolved, node } = ctx
    lines +=
      `{"level":30,"time":"${time(ctx.startedAt + durationMs)}","thread":${thread},"request_id":"${ctx.requestId}"` +
      `,"remote_addr":"${ctx.remoteAddr}","consumer":${text(ctx.consumer?.username)}` +
      `,"api_key_id":${ctx.sale?.key.id ?? null},"method":${text(ctx.method)}` +
      `,"host":${text(ctx.host)},"path":${text(ctx.path)}${query(ctx)}` +
      `,"route_id":${text(resolved?.route.id)},"status":${status},"bytes_in":${ctx.bytesIn}` +
      `,"bytes_out":${ctx.bytesOut},"duration_ms":${round(durationMs)}` +
      `,"upstream":${text(node?.name)},"upstream_status":${ctx.upstreamStatus || null}` +
      `,"upstream_ms":${ctx.upstreamStatus ? round(ctx.upstreamMs) : null}` +
      `${ctx.errorCode === '' ? '' : `,"error":"${ctx.errorCode}"`}` +
      `${ctx.scriptLines === null ? '' : `,"script":${JSON.stringify(ctx.scriptLines)}`},"msg":"gateway request"}\n`
    if (lines.length > FLUSH_CHARACTERS) flush()
    else timer ??= setTimeout(flush, FLUSH_MS)
  }

  function flush() {
    clearTimeout(timer)
    timer = undefined
    const finished = lines
    lines = ''
    if (finished !== '') write(finished)
  }
}

const PLAIN = /^[\w\-./:*]*$/

function text(value: string | undefined): string {
  if (value === undefined) return 'null'
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

function query(ctx: Context): string {
  if (ctx.query === '') return ''
  return `,"query":${ctx.hidesQuery ? '"***"' : text(withoutCredentials(ctx))}`
}

/** Credentials are called so where nothing else is said, on whatever route they are looked for. */
const USUAL: readonly string[] = ['apikey', 'jwt']

/** As it was sent, but for the values of parameters in which plugins take credentials. */
function withoutCredentials({ query, chain, globalChain }: Context): string {
  const own = [...USUAL, ...globalChain.credentialArguments, ...chain.credentialArguments]
  return maskQuery(query.slice(1))
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return own.includes(decoded(name)) ? `${name}=***` : pair
    })
    .join('&')
}

/** The name of a parameter as plugins read it. */
function decoded(name: string): string {
  return /[%+]/.test(name) ? [...new URLSearchParams(name).keys()].join() : name
}

/** Milliseconds with three places; printing a fraction itself takes ten times as long. */
function round(ms: number): string {
  const us = Math.round(ms * 1000)
  const whole = Math.floor(us / 1000)
  return `${whole}.${digits(us - whole * 1000)}`
}

const DIGITS = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0'))

function digits(below1000: number): string {
  return DIGITS[below1000] ?? '000'
}
