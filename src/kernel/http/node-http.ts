/**
 * Node's HTTP, without its module namespace: an import would read all members of `node:http`, and
 * three of them load Node's own copy of undici, 4 MB in every thread. Types can be imported.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
