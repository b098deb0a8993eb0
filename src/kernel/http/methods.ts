import { nodeHttp } from './node-http.ts'

const ROUTED = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Methods that a client may send and that nothing is done by. Whoever takes every path of a prefix and decides by
 * itself what each is routes them too, only to refuse them: otherwise `Allow` would name all that is routed there.
 */
export function refusedMethods(): string[] {
  // A tunnel is no request of ours; Node ends it.
  return nodeHttp().METHODS.filter((method) => !ROUTED.has(method) && method !== 'CONNECT')
}
