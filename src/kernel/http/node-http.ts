/**
 * Node's HTTP, without its module namespace: an import reads all members of `node:http`, and three of
 * them load Node's own copy of undici, 4.5 MB of heap in every thread. Types can be imported. Loaded
 * when it is first asked for.
 */
export function nodeHttp() {
  return process.getBuiltinModule('node:http')
}

export function nodeHttps() {
  return process.getBuiltinModule('node:https')
}
