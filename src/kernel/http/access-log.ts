import { maskQuery } from './mask.ts'
import { pathOf, rawQueryOf } from './query.ts'
import type { RequestObserver } from './request-log.ts'

const MAX_USER_AGENT = 256

/** Where the lines go: any logger, or one that takes their members as finished JSON. */
export type AccessLogSink =
  | { info(fields: Record<string, unknown>, message: string): void }
  | { write(members: string, message: string): void }

type Outcome = Parameters<RequestObserver>[0]

/** One line per request with everything known about it; credentials never appear. */
export function createAccessLog(log: AccessLogSink): RequestObserver {
  const membersOf = createMembers()
  if ('write' in log) return (outcome) => log.write(membersOf(outcome), 'request')
  return (outcome) => log.info(JSON.parse(`{${membersOf(outcome).slice(1)}}`), 'request')
}

/** By hand: going through an object of them takes longer than all the rest of the line. */
function createMembers() {
  const queryJson = createJson(maskQuery)
  const [routeJson, addressJson, agentJson] = [createJson(), createJson(), createJson()]
  return membersOf

  function membersOf(outcome: Outcome): string {
    const { id, url, route, address, apiKeyId, userAgent, error } = outcome
    const query = rawQueryOf(url)
    const durationMs = Math.round(outcome.durationMs * 1000) / 1000
    return `,"request_id":${JSON.stringify(id)},"method":"${outcome.method}","path":${JSON.stringify(pathOf(url))}${
      query === '' ? '' : `,"query":${queryJson(query)}`
    },"route":${routeJson(route)},"status":${outcome.status},"bytes":${outcome.bytes},"duration_ms":${durationMs}${
      address === undefined ? '' : `,"remote_addr":${addressJson(address)}`
    }${apiKeyId === undefined ? '' : `,"api_key_id":${apiKeyId}`}${
      userAgent === undefined
        ? ''
        : `,"user_agent":${agentJson(userAgent.slice(0, MAX_USER_AGENT))}`
    }${error === undefined ? '' : `,"error":${JSON.stringify(error)}`}`
  }
}

/** The JSON of a text, which is mostly the one before. */
function createJson(shown = (text: string) => text): (text: string) => string {
  let last = ''
  let json = '""'
  return (text) => {
    if (text !== last) {
      last = text
      json = JSON.stringify(shown(text))
    }
    return json
  }
}
