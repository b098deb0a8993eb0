import { createHash, timingSafeEqual } from 'node:crypto'
import Type from 'typebox'
import { fromHeader, identify, identifyAnonymous } from '../plane/identify.ts'
import { definePlugin } from '../plane/plugin.ts'

const CONSUMER = Type.Object({
  username: Type.String({ minLength: 1, maxLength: 256, pattern: '^[^:\\x00-\\x1f\\x7f]+$' }),
  password: Type.String({ minLength: 1, maxLength: 4096 }),
})

/** Lets in whoever presents the name and password of a consumer. */
export default definePlugin({
  name: 'basic-auth',
  priority: 2520,
  authenticates: true,
  secrets: ['password'],
  schema: Type.Object({
    hide_credentials: Type.Optional(Type.Boolean()),
    realm: Type.Optional(
      Type.String({ pattern: '^[ !#-[\\]-~]{0,256}$', expects: 'must be a text without quotes' }),
    ),
    anonymous_consumer: Type.Optional(Type.String({ minLength: 1 })),
  }),
  consumerSchema: CONSUMER,
  setup(conf) {
    const { realm = 'basic', anonymous_consumer: anonymous } = conf
    const refusal = (message: string) => ({
      status: 401,
      headers: { 'WWW-Authenticate': `Basic realm="${realm}"` },
      body: { message },
    })
    return {
      rewrite(ctx) {
        const presented = fromHeader(ctx, 'authorization')
        const given = presented && parse(presented.value)
        const found = given && ctx.consumers.findByKey('basic-auth', given.username)
        // Compared also for a name that nobody has, so that time does not tell the names.
        const isRight = given !== undefined && isSame(given.password, found?.settings['password'])
        if (found && isRight) {
          if (conf.hide_credentials) presented?.hide()
          identify(ctx, found)
          return undefined
        }
        if (anonymous !== undefined && identifyAnonymous(ctx, anonymous)) return undefined
        if (!presented) return refusal('Missing authorization in request')
        return refusal(given ? 'Invalid user authorization' : 'Invalid authorization in request')
      },
    }
  },
})

/** RFC 7617 §2: the first colon ends the name. */
function parse(header: string): { username: string; password: string } | undefined {
  const [, coded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header) ?? []
  if (coded === undefined) return undefined
  const text = Buffer.from(coded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Of digests, which are equally long whatever was sent. */
function isSame(given: string, stored: unknown): boolean {
  const right = typeof stored === 'string' ? stored : ''
  return timingSafeEqual(digest(given), digest(right)) && right !== ''
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
