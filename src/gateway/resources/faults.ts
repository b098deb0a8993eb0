// What the schemas cannot say; each function reports every fault it finds.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { isObject } from '#kernel'
import { findFaults as findExpressionFaults, variablesOf } from '../expression/expression.ts'
import { isNetwork } from '../expression/networks.ts'
import { templateFault } from '../plane/template.ts'
import { variableFault } from '../plane/variables.ts'
import type { Plugins } from '../plugins/load.ts'
import type { Kind } from '../protocol.ts'
import { check, type Fault } from './check.ts'
import { parseAddress } from './nodes.ts'
import type { JsonObject, RouteValue, SslValue, UpstreamTls, UpstreamValue } from './values.ts'

const PEM_BLOCK = /-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g

export function upstreamFaults(value: UpstreamValue): Fault[] {
  const faults: Fault[] = []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if ((value.nodes === undefined) === (value.service_name === undefined)) {
    fault('/nodes', 'exactly one of nodes and service_name is required')
  }
  if (value.service_name !== undefined && value.discovery_type === undefined) {
    fault('/discovery_type', 'is required with service_name')
  }
  if (value.nodes && !Array.isArray(value.nodes)) {
    for (const address of Object.keys(value.nodes)) {
      if (!parseAddress(address)) fault(`/nodes/${address}`, 'must be host:port, port 1 to 65535')
    }
  }
  for (const [index, { host }] of listedNodes(value).entries()) {
    if (isIPv6(host)) fault(`/nodes/${index}/host`, `an IPv6 address stands in brackets: [${host}]`)
  }
  const { type = 'roundrobin' } = value
  const keyMessage = type === 'chash' ? hashKeyFault(value) : null
  if (keyMessage) fault('/key', keyMessage)
  if (value.pass_host === 'rewrite' && value.upstream_host === undefined) {
    fault('/upstream_host', 'is required with pass_host rewrite')
  }
  if (value.checks?.passive && !value.checks.active) {
    fault('/checks/active', 'is required beside passive checks, which cannot heal a node')
  }
  faults.push(...clientPairFaults(value.tls ?? {}).map((found) => below('/tls', found)))
  return faults
}

function clientPairFaults({ client_cert: cert, client_key: key, client_cert_id: id }: UpstreamTls) {
  if (cert === undefined && key === undefined) return []
  if (id !== undefined) {
    return [
      { path: '/client_cert_id', message: 'must not stand beside client_cert and client_key' },
    ]
  }
  if (cert === undefined) return [{ path: '/client_cert', message: 'is required with client_key' }]
  if (key === undefined) return [{ path: '/client_key', message: 'is required with client_cert' }]
  const message = pairFault(cert, key)
  return message === undefined ? [] : [{ path: '/client_cert', message }]
}

function listedNodes({ nodes }: UpstreamValue): readonly { readonly host: string }[] {
  return Array.isArray(nodes) ? nodes : []
}

/** Contract §3.1: a key that cannot be found would silently become the address of the client. */
function hashKeyFault({ hash_on: on = 'vars', key }: UpstreamValue): string | null {
  if (on === 'consumer') return null
  if (key === undefined) return 'is required'
  switch (on) {
    case 'header':
      return variableFault(`http_${key}`) && 'must be the name of a header'
    case 'cookie':
      return variableFault(`cookie_${key}`) && 'must be the name of a cookie'
    case 'vars_combinations':
      return templateFault(key) ?? (key.includes('$') ? null : 'must name a variable such as $uri')
    default:
      return variableFault(key)
  }
}

export function routeFaults(value: RouteValue): Fault[] {
  const faults: Fault[] = []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if ((value.uri === undefined) === (value.uris === undefined)) {
    fault('/uri', 'exactly one of uri and uris is required')
  }
  if (value.host !== undefined && value.hosts) fault('/hosts', 'must not stand beside host')
  if (value.remote_addr !== undefined && value.remote_addrs) {
    fault('/remote_addrs', 'must not stand beside remote_addr')
  }
  if (value.upstream && value.upstream_id !== undefined) {
    fault('/upstream', 'must not stand beside upstream_id')
  }
  const { plugins, upstream, upstream_id: upstreamId, service_id: serviceId } = value
  if (!plugins && !upstream && upstreamId === undefined && serviceId === undefined) {
    fault('', 'at least one of plugins, upstream, upstream_id and service_id is required')
  }
  for (const [index, uri] of (value.uris ?? [value.uri ?? '/']).entries()) {
    const message = uriFault(uri)
    if (message) fault(value.uris ? `/uris/${index}` : '/uri', message)
  }
  for (const [index, network] of (value.remote_addrs ?? [value.remote_addr ?? '::']).entries()) {
    if (isNetwork(network)) continue
    fault(
      value.remote_addrs ? `/remote_addrs/${index}` : '/remote_addr',
      'must be an address or CIDR',
    )
  }
  if (value.vars) faults.push(...varsFaults(value.vars, '/vars'))
  return faults
}

export function varsFaults(vars: unknown, path: string): Fault[] {
  const faults = findExpressionFaults(vars).map(({ path: inner, message }) => ({
    path: [path, ...inner].join('/'),
    message,
  }))
  if (faults.length > 0 || !Array.isArray(vars)) return faults
  return variablesOf(vars).flatMap((name) => {
    const message = variableFault(name)
    return message === null ? [] : [{ path, message }]
  })
}

function uriFault(uri: string): string | undefined {
  const parts = uri.slice(1).split('/')
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    const star = part.indexOf('*')
    const isNamed = star === 0 && part.length > 1
    if (star === -1 || (isLast && (star === part.length - 1 || isNamed))) continue
    return 'may have * only at its end'
  }
  return /%(?![0-9A-Fa-f]{2})/.test(uri) ? 'has a broken escape' : undefined
}

export function sslFaults(value: SslValue): Fault[] {
  const faults: Fault[] = value.client ? clientFaults(value.client) : []
  const fault = (path: string, message: string) => void faults.push({ path, message })
  if (value.type === 'client') {
    for (const member of ['sni', 'snis', 'client', 'ssl_protocols', 'certs', 'keys'] as const) {
      if (value[member] !== undefined) fault(`/${member}`, 'is for certificates of servers')
    }
  }
  // With neither it is the certificate for names that no other is for.
  if (value.sni !== undefined && value.snis !== undefined) {
    fault('/sni', 'only one of sni and snis is possible')
  }
  const { certs = [], keys = [] } = value
  if (certs.length !== keys.length) fault('/keys', 'must have as many items as certs')
  const pairs = [
    [value.cert, value.key, '/cert'],
    ...certs.map((cert, n) => [cert, keys[n], `/certs/${n}`]),
  ]
  for (const [cert = '', key = '', path = ''] of pairs) {
    const message = pairFault(cert, key)
    if (message) fault(path, message)
  }
  return faults
}

function clientFaults(client: NonNullable<SslValue['client']>): Fault[] {
  // Node asks for certificates by connection, and a path is known only afterwards.
  const skips = 'skip_mtls_uri_regex' in client
  const unsupported = { path: '/client/skip_mtls_uri_regex', message: 'is not supported here' }
  const unreadable = { path: '/client/ca', message: 'must be certificates as PEM' }
  // Of several the handshake would pass over those that cannot be read, and refuse their clients.
  const all = client.ca.match(PEM_BLOCK) ?? ['']
  return [...(skips ? [unsupported] : []), ...(all.every(isCertificate) ? [] : [unreadable])]
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

function pairFault(cert: string, key: string): string | undefined {
  try {
    const certificate = new X509Certificate(cert)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) {
      return 'the key does not belong to the certificate'
    }
  } catch {
    return 'the certificate or its key cannot be read'
  }
  // The data plane also reads the certificates of issuers that follow, and takes no weak keys.
  try {
    createSecureContext({ cert, key })
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*:/, '').trim() : ''
    return `the certificate, its key or those of its issuers cannot be used: ${reason}`
  }
}

/** On consumers and credentials authentication plugins hold what the consumer authenticates with. */
export function pluginsFaults(
  plugins: Readonly<Record<string, JsonObject>> | undefined,
  known: Plugins,
  kind: Kind,
): Fault[] {
  const isConsumer = kind === 'consumers' || kind === 'credentials'
  return Object.entries(plugins ?? {}).flatMap(([name, conf]) => {
    const path = `/plugins/${name}`
    const plugin = known.find(name)
    if (!plugin) return [{ path, message: `unknown plugin [${name}]` }]
    // Under two names it would run once, with one of two settings.
    const isTwice = plugin.name !== name && Object.hasOwn(plugins ?? {}, plugin.name)
    const twice = { path, message: `must not stand beside ${plugin.name}, which it is` }
    const { _meta: meta, ...settings } = conf
    const asConsumer = isConsumer && plugin.consumerSchema !== undefined
    const schema = asConsumer && plugin.consumerSchema ? plugin.consumerSchema : plugin.schema
    const shape = check(schema, settings)
    const found = shape.length > 0 ? shape : plugin.findFaults(settings, asConsumer, known.tools)
    const all = [...plugin.findUnsupported(settings, asConsumer), ...found]
    return [
      ...(isTwice ? [twice] : []),
      ...all.map((fault) => below(path, fault)),
      ...metaFaults(meta, `${path}/_meta`),
    ]
  })
}

function metaFaults(meta: unknown, path: string): Fault[] {
  if (meta === undefined) return []
  if (typeof meta !== 'object' || meta === null) return [{ path, message: 'must be an object' }]
  const faults: Fault[] = []
  const {
    disable,
    priority,
    filter,
    error_response: body,
    ...rest
  }: Record<string, unknown> = {
    ...meta,
  }
  const fault = (name: string, message: string) =>
    void faults.push({ path: `${path}/${name}`, message })
  if (rest['pre_function'] !== undefined) fault('pre_function', 'is not supported here')
  if (disable !== undefined && typeof disable !== 'boolean')
    fault('disable', 'must be true or false')
  if (priority !== undefined && !Number.isInteger(priority)) fault('priority', 'must be an integer')
  if (filter !== undefined) faults.push(...varsFaults(filter, `${path}/filter`))
  const isBody = typeof body === 'string' || (typeof body === 'object' && body !== null)
  if (body !== undefined && !isBody) fault('error_response', 'must be an object or a text')
  return faults
}

/** What has no effect where it stands: refused when it is written; what is stored already goes on as it did. */
export function idleFaults(
  plugins: Readonly<Record<string, JsonObject>> | undefined,
  known: Plugins,
  kind: Kind,
): Fault[] {
  if (kind !== 'consumers' && kind !== 'credentials') return []
  return Object.entries(plugins ?? {}).flatMap(([name, conf]) => {
    const path = `/plugins/${name}`
    const plugin = known.find(name)
    if (!plugin) return []
    if (plugin.consumerSchema !== undefined) return idleMetaFaults(conf['_meta'], `${path}/_meta`)
    // By then it is known who calls; and what does more than that belongs to the consumer itself.
    if (plugin.authenticates)
      return [{ path, message: 'has no effect here: it belongs on a route' }]
    if (kind === 'consumers') return []
    return [{ path, message: 'has no effect on a credential: it belongs on the consumer' }]
  })
}

/** What a consumer authenticates with does not run: it can be disabled, and nothing more. */
function idleMetaFaults(meta: unknown, path: string): Fault[] {
  if (!isObject(meta)) return []
  return ['priority', 'filter', 'error_response']
    .filter((name) => meta[name] !== undefined)
    .map((name) => ({
      path: `${path}/${name}`,
      message: 'has no effect here: say it on the route',
    }))
}

export function below(path: string, fault: Fault): Fault {
  return { path: `${path}${fault.path}`, message: fault.message }
}
