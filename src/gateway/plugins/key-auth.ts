import Type from 'typebox'
import { fromHeader, fromQuery, identify, identifyAnonymous } from '../plane/identify.ts'
import { definePlugin } from '../plane/plugin.ts'

const NAME = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', expects: 'must be a name' })

/** Lets in whoever presents the key of a consumer. */
export default definePlugin({
  name: 'key-auth',
  priority: 2500,
  authenticates: true,
  secrets: ['key'],
  schema: Type.Object({
    header: Type.Optional(NAME),
    query: Type.Optional(NAME),
    hide_credentials: Type.Optional(Type.Boolean()),
    realm: Type.Optional(
      Type.String({ pattern: '^[ !#-[\\]-~]{0,256}$', expects: 'must be a text without quotes' }),
    ),
    anonymous_consumer: Type.Optional(Type.String({ minLength: 1 })),
  }),
  consumerSchema: Type.Object({ key: Type.String({ minLength: 1, maxLength: 4096 }) }),
  credentialArgument: argumentOf,
  setup(conf) {
    const { header = 'apikey', realm = 'key' } = conf
    const refusal = (message: string) => ({
      status: 401,
      headers: { 'WWW-Authenticate': `apikey realm="${realm}"` },
      body: { message },
    })
    return {
      rewrite(ctx) {
        const presented = fromHeader(ctx, header) ?? fromQuery(ctx, argumentOf(conf))
        const found = presented && ctx.consumers.findByKey('key-auth', presented.value)
        if (found) {
          if (conf.hide_credentials) presented.hide()
          identify(ctx, found)
          return undefined
        }
        const anonymous = conf.anonymous_consumer
        if (anonymous !== undefined && identifyAnonymous(ctx, anonymous)) return undefined
        return refusal(presented ? 'API key not accepted' : 'API key missing')
      },
    }
  },
})

function argumentOf({ query = 'apikey' }: { readonly query?: string }): string {
  return query
}
