/**
 * The sandbox's own side of a script's `ctx` (gateway contract §8), written for the engine of scripts.
 * Gets one function of the host, `host(operation, a, b)`, which takes and gives texts only. Whatever a
 * script does to these objects, the host believes nothing but the shape of the text that comes back.
 */
export const PRELUDE = `(host) => {
  'use strict'
  const { parse, stringify } = JSON
  const { create, freeze, defineProperty, setPrototypeOf, values, isFrozen } = Object
  const { isArray } = Array
  const { isInteger } = Number
  const ENDED = freeze({ message: 'the script has ended the request' })
  const functions = []
  let conf = {}
  let phase = 'access'
  let mayReadBody = false
  let call = start()

  function start() {
    return { at: 0, changes: [], answer: null, request: null, response: null, body: null, outcome: null }
  }

  function demand(fault) {
    if (fault !== undefined) throw new TypeError(fault)
  }

  function before(what) {
    if (phase === 'header_filter' || phase === 'log')
      throw new TypeError(what + ' has no effect in phase ' + phase + ': the request was forwarded')
  }

  function change(...parts) {
    call.changes.push(parts)
  }

  function text(value, what) {
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    throw new TypeError(what + ' must be a text')
  }

  function header(name, value) {
    const given = value === null ? null : text(value, 'the value of a header')
    demand(host('check-header', text(name, 'the name of a header'), given === null ? '' : given))
    return given
  }

  function read(part) {
    const value = parse(host(part))
    for (const member of values(value)) {
      if (typeof member === 'object' && member !== null && !isArray(member)) setPrototypeOf(member, null)
    }
    return value
  }

  const ofRequest = () => (call.request ??= read('request'))
  const request = {
    setHeader(name, value) {
      before('setHeader')
      if (String(name).toLowerCase() === 'host') throw new TypeError('Host is set by setHost')
      change('header', name, header(name, value))
    },
    addHeader(name, value) {
      before('addHeader')
      if (String(name).toLowerCase() === 'host') throw new TypeError('Host is set by setHost')
      change('add-header', name, header(name, text(value, 'the value of a header')))
    },
    setQuery(name, value) {
      before('setQuery')
      change('query', text(name, 'the name'), value === null ? null : text(value, 'the value'))
    },
    setPath(path) {
      before('setPath')
      demand(host('check-path', text(path, 'the path')))
      change('path', path)
    },
    setMethod(method) {
      before('setMethod')
      demand(host('check-method', text(method, 'the method')))
      change('method', method)
    },
    setHost(name) {
      before('setHost')
      demand(host('check-host', text(name, 'the host')))
      change('host', name)
    },
    text() {
      if (!mayReadBody) throw new TypeError('the body can be read with "body": true in the settings')
      return (call.body ??= host('body') ?? '')
    },
    json() {
      return parse(request.text())
    },
    setBody(value) {
      before('setBody')
      if (!mayReadBody) throw new TypeError('the body can be set with "body": true in the settings')
      call.body = text(value, 'the body')
      change('body', call.body)
    },
  }
  for (const name of ['method', 'path', 'query', 'headers', 'cookies', 'host', 'scheme', 'remote_addr', 'id'])
    defineProperty(request, name, { get: () => ofRequest()[name], enumerable: true })

  const ofResponse = () => (call.response ??= read('response'))
  const response = {
    get status() { return ofResponse().status },
    get headers() { return ofResponse().headers },
    setHeader(name, value) {
      if (phase === 'log') throw new TypeError('setHeader has no effect in phase log: the answer has left')
      change('answer-header', name, header(name, value))
    },
    addHeader(name, value) {
      if (phase === 'log') throw new TypeError('addHeader has no effect in phase log: the answer has left')
      change('add-answer-header', name, header(name, text(value, 'the value of a header')))
    },
  }

  function end(status, body, headers) {
    call.answer = answerOf(status, body, headers)
  }

  function answerOf(status, body, headers = {}) {
    if (!isInteger(status) || status < 200 || status > 599)
      throw new TypeError('a status is a number from 200 to 599')
    const made = {}
    for (const name of Object.keys(headers ?? {})) {
      const one = (value) => header(name, text(value, 'the value of a header'))
      made[name] = isArray(headers[name]) ? headers[name].map(one) : one(headers[name])
    }
    const isText = typeof body === 'string'
    const isNone = body === undefined || body === null
    return { status, headers: made, body: isNone ? null : isText ? body : stringify(body), isJson: !isNone && !isText }
  }

  /** True when the script has answered by what it returned. */
  function take(result) {
    if (call.answer !== null) return true
    if (result === undefined || phase === 'log') return false
    if (typeof result === 'number') end(result)
    else if (isArray(result)) end(result[0], result[1], result[2])
    else if (typeof result === 'object' && result !== null && 'status' in result) end(result.status, result.body, result.headers)
    else throw new TypeError('a script returns nothing, a status, [status, body] or {status, body, headers}')
    return true
  }

  const line = (level) => (...parts) => {
    host('log', level, parts.map((part) => (typeof part === 'string' ? part : part instanceof Error ? String(part) : stringify(part) ?? String(part))).join(' '))
  }
  const log = freeze({ info: line('info'), warn: line('warn'), error: line('error') })
  globalThis.console = { log: log.info, info: log.info, warn: log.warn, error: log.error }

  const one = (operation) => (value) => host(operation, text(value, 'the argument'))
  const crypto = freeze({
    sha256: one('sha256'),
    hmacSha256: (key, value) => host('hmac-sha256', text(key, 'the key'), text(value, 'the argument')),
    uuid: () => host('uuid'),
  })
  const base64 = freeze({
    encode: one('base64-encode'),
    decode(value) {
      const plain = host('base64-decode', text(value, 'the argument'))
      if (plain === undefined) throw new TypeError('the text is not base64 of a text in UTF-8')
      return plain
    },
  })
  const shared = {
    request: freeze(request),
    response: freeze(response),
    log,
    crypto: freeze({ ...crypto, base64 }),
    base64,
    now: () => Number(host('now')),
    var(name) {
      const value = host('var', text(name, 'the name'))
      for (let at = call.changes.length - 1; at >= 0; at--) {
        const [kind, known, given] = call.changes[at]
        if (kind === 'set' && 'ctx_' + known === name) return given
      }
      return value
    },
    set(name, value) {
      if (typeof name !== 'string' || !/^\\w{1,64}$/.test(name)) throw new TypeError('a name has 1 to 64 letters, digits or _')
      change('set', name, text(value, 'the value'))
    },
    get consumer() { return parse(host('consumer')) },
    get route() { return parse(host('route')) },
    get plan() { return parse(host('plan')) },
    upstream(id) {
      if (phase !== 'rewrite' && phase !== 'access') throw new TypeError('upstream has no effect in phase ' + phase)
      demand(host('check-upstream', text(id, 'the id')))
      change('upstream', text(id, 'the id'))
    },
    exit(status, body, headers) {
      end(status, body, headers)
      throw ENDED
    },
  }

  function deepFreeze(value) {
    if (typeof value === 'object' && value !== null && !isFrozen(value)) values(freeze(value)).forEach(deepFreeze)
    return value
  }

  function describe() {
    if (call.answer === null && call.changes.length === 0) return ''
    return stringify({ changes: call.changes, answer: call.answer })
  }

  /** The outcome as text; 1 when a promise has to settle first. */
  function go(ctx) {
    try {
      while (call.at < functions.length) {
        const result = functions[call.at++](conf, ctx)
        if (result instanceof Promise) {
          const mine = call
          result.then(
            (value) => resume(mine, ctx, () => take(value)),
            (error) => resume(mine, ctx, () => { if (error !== ENDED) throw error; return true }),
          )
          return 1
        }
        if (take(result)) break
      }
    } catch (error) {
      if (error !== ENDED) throw error
    }
    return describe()
  }

  function resume(mine, ctx, settle) {
    if (mine !== call) return
    try {
      const outcome = settle() ? describe() : go(ctx)
      if (outcome !== 1) call.outcome = { text: outcome }
    } catch (error) {
      call.outcome = { error }
    }
  }

  return {
    add(made) { functions.push(made) },
    configure(settings) {
      const { phase: given, mayReadBody: may, conf: own } = parse(settings)
      phase = given
      mayReadBody = may
      conf = deepFreeze(own)
    },
    run() {
      call = start()
      return go(create(shared))
    },
    /** Undefined: the promise has not settled and nothing is left that could settle it. */
    finish() {
      const { outcome } = call
      if (outcome === null) return undefined
      if ('error' in outcome) throw outcome.error
      return outcome.text
    },
  }
}`
