import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import type { Context } from '../plane/context.ts'
import {
  headerNameFault,
  removeAnswerHeader,
  setAnswerHeader,
  setForwardHeader,
} from '../plane/headers.ts'
import { definePlugin } from '../plane/plugin.ts'
import { lookUp } from '../plane/variables.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const SCHEMA = Type.Object({
  header_name: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$', expects: 'must be the name of a header' }),
  ),
  include_in_response: Type.Optional(Type.Boolean()),
  algorithm: Type.Optional(Type.Enum(['uuid', 'nanoid', 'range_id', 'ksuid'])),
  range_id: Type.Optional(
    Type.Object({
      length: Type.Optional(Type.Integer({ minimum: 6, maximum: 128 })),
      char_set: Type.Optional(
        Type.String({
          minLength: 6,
          maxLength: 256,
          pattern: '^[A-Za-z0-9._:/+=-]*$',
          expects: 'must be 6 to 256 characters of A-Z a-z 0-9 . _ : / + = -',
        }),
      ),
    }),
  ),
})

/** Carries the id of the request under a name of the operator's choice, made as the operator wants. */
export default definePlugin({
  name: 'request-id',
  priority: 12015,
  schema: SCHEMA,
  findFaults({ header_name: name }) {
    const message = name === undefined ? null : headerNameFault(name)
    return message === null ? [] : [{ path: '/header_name', message }]
  },
  setup(conf, { clock }) {
    const { header_name: name = 'X-Request-Id', include_in_response: isShown = true } = conf
    const { algorithm, range_id: { length = 16, char_set: characters = LETTERS } = {} } = conf
    const isUsual = name.toLowerCase() === 'x-request-id'
    const make = makerOf()
    /** Under another name the request has a second id, the same in request and answer. */
    const seconds = new WeakMap<Context, string>()
    return {
      rewrite(ctx) {
        if (isUsual) {
          // An id that the client brought is kept (contract §11).
          if (make && ctx.request.requestId !== ctx.requestId) ctx.requestId = make()
          return undefined
        }
        const id = sentId(ctx) ?? make?.() ?? ctx.requestId
        seconds.set(ctx, id)
        setForwardHeader(ctx, name, id)
        return undefined
      },
      headerFilter(ctx) {
        if (!isShown) removeAnswerHeader(ctx, name)
        else if (!isUsual) setAnswerHeader(ctx, name, seconds.get(ctx) ?? ctx.requestId)
      },
    }

    function sentId(ctx: Context): string | undefined {
      const given = lookUp(ctx, `http_${name}`)
      return given !== undefined && GOOD_ID.test(given) ? given : undefined
    }

    /** None: every request has a UUID already. */
    function makerOf(): (() => string) | undefined {
      switch (algorithm) {
        case 'nanoid':
          return () => pick(`${LETTERS}_-`, 21)
        case 'range_id':
          return () => pick(characters, length)
        case 'ksuid':
          return () => ksuid(clock.now())
        default:
          return undefined
      }
    }
  },
})

const GOOD_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/

/** Each character is as likely as any other. */
function pick(characters: string, length: number): string {
  const limit = 256 - (256 % characters.length)
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && out.length < length) out += characters[byte % characters.length]
    }
  }
  return out
}

const KSUID_EPOCH_SECONDS = 1_400_000_000

/** Sorts by time: seconds, then 16 random bytes, as 27 digits of base 62. */
function ksuid(nowMs: number): string {
  const bytes = Buffer.concat([Buffer.alloc(4), randomBytes(16)])
  bytes.writeUInt32BE(Math.max(0, Math.floor(nowMs / 1000) - KSUID_EPOCH_SECONDS))
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let out = ''
  for (let digit = 0; digit < 27; digit++) {
    out = `${BASE_62[Number(rest % 62n)]}${out}`
    rest /= 62n
  }
  return out
}

/** In the order of the characters' codes, so that texts sort as the numbers do. */
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
