import { setTimeout as delay } from 'node:timers/promises'
import { redirectLocation } from '#http-text'
import type { Log, Random } from '#kernel'
import type { Validators } from './fetch-page.ts'
import type { Hosts } from './hosts.ts'
import { type OpenAnswer, type Requests, textOf } from './requests.ts'
import { isPassingFailure, isPassingStatus, retryPauseMs } from './retries.ts'
import type { RobotsFiles } from './robots-files.ts'
import type { Urls } from './urls.ts'

/** What the server of a file said; the caller reads the body or cancels it. */
type FetchedFile =
  | { readonly kind: 'unchanged' }
  | FailedFile
  | ({ readonly kind: 'opened'; readonly body: Body } & Validators)

export interface FailedFile {
  readonly kind: 'failed'
  readonly message: string
  /** It is worth being asked for again. */
  readonly mayPass: boolean
}

type Body = Extract<OpenAnswer, { ok: true }>['body']

interface Wanted {
  readonly known: Validators | undefined
  readonly maxBytes: number
}

export interface FileSource {
  open(url: URL, wanted: Wanted): Promise<FetchedFile>
  /** Waits before another attempt; false after so many failures that there is none. */
  pauseAfter(failures: number): Promise<boolean>
}

interface Deps {
  readonly requests: Pick<Requests, 'open'>
  readonly robots: Pick<RobotsFiles, 'of'>
  readonly urls: Pick<Urls, 'identify'>
  readonly hosts: Pick<Hosts, 'pauseAfter'>
  readonly signal: AbortSignal
  readonly log: Pick<Log, 'warn'>
  readonly random: Random
  /** `crawl.max_retries` */
  readonly maxRetries: number
}

/** Why a file that was under way is not there. */
export const HAS_ENDED = 'The run has ended'
const MAX_REDIRECTS = 10

/** Fetches files that pages name, under the rules of pages: rate, robots, addresses, headers, retries. */
export function createFileSource(deps: Deps): FileSource {
  const { requests, robots, urls, hosts, signal, log, random, maxRetries } = deps
  return { open, pauseAfter }

  /** One file that cannot be fetched must not end the run. */
  async function open(first: URL, { known, maxBytes }: Wanted): Promise<FetchedFile> {
    try {
      return await follow(first, known, maxBytes)
    } catch (error) {
      if (signal.aborted) return failed(HAS_ENDED)
      log.warn({ err: error, url: first.href }, 'a file could not be fetched')
      return failed('It could not be fetched')
    }
  }

  async function pauseAfter(failures: number): Promise<boolean> {
    if (failures > maxRetries) return false
    // A run that ends meanwhile is told by the next attempt.
    await delay(retryPauseMs(failures, random), undefined, { signal }).catch(() => {})
    return true
  }

  async function follow(
    first: URL,
    known: Validators | undefined,
    maxBodyBytes: number,
  ): Promise<FetchedFile> {
    let url = first
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const rules = await robots.of(url)
      if ('failure' in rules) return unanswered(rules.failure)
      if (!rules.isAllowed(url)) return failed('robots.txt does not allow it')
      const headers = { accept: '*/*', 'accept-encoding': 'identity', ...conditions(known) }
      const answer = await requests.open({ url, headers, maxBodyBytes, signal })
      if (!answer.ok) return unanswered(answer)
      hosts.pauseAfter(url.host, answer)
      const location = redirectLocation(answer.status, answer.headers)
      if (location === null) return toFile(answer)
      answer.body.cancel()
      const next = urls.identify(location, url)
      if (!next) return failed('The redirect cannot be followed')
      url = next
    }
    return failed('Too many redirects')

    function toFile({ status, headers, body }: Extract<OpenAnswer, { ok: true }>): FetchedFile {
      const etag = short(headers['etag'])
      const lastModified = short(headers['last-modified'])
      const isKnown = etag !== null && etag === known?.etag
      if (status === 200 && !isKnown && !isCoded(headers['content-encoding'])) {
        return { kind: 'opened', body, etag, lastModified }
      }
      body.cancel()
      if (status === 304 || (status === 200 && isKnown)) return { kind: 'unchanged' }
      if (status === 200) return failed('The file came compressed')
      return failed(`The server answered ${status}`, isPassingStatus(status))
    }
  }
}

function conditions(known: Validators | undefined): Record<string, string> {
  return {
    ...(known?.etag ? { 'if-none-match': known.etag } : {}),
    ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
  }
}

function short(value: string | string[] | undefined): string | null {
  const text = textOf(value)
  return text && text.length <= 500 ? text : null
}

function isCoded(coding: string | string[] | undefined): boolean {
  return coding !== undefined && coding !== '' && coding !== 'identity'
}

function unanswered({ code, message }: Extract<OpenAnswer, { ok: false }>): FailedFile {
  return failed(message, isPassingFailure(code))
}

function failed(message: string, mayPass = false): FailedFile {
  return { kind: 'failed', message, mayPass }
}
