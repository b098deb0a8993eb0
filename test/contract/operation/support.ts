import { connect } from 'node:net'
import {
  ADMIN_KEY,
  createCalls,
  type DatabaseKind,
  freePort,
  installation,
  relationTo,
  shareServer,
  startServer,
} from '#test-kit'

export const ADMIN_PASSWORD = 'open sesame 1'

/** One server for all tests of a `describe`; `raw` sends bytes that no HTTP client would send. */
export function operationServer(kind: DatabaseKind, extra: Record<string, string> = {}) {
  const server = shareServer(async () => {
    const settings = {
      ENTREPOT_ADMIN_KEY: ADMIN_KEY,
      ENTREPOT_ADMIN_PASSWORD: ADMIN_PASSWORD,
      ENTREPOT_GATEWAY_TLS_PORT: String(await freePort()),
    }
    return startServer(await installation(kind, { ...settings, ...extra }))
  })
  return { server, ...createCalls(() => server().url), raw: rawSender(() => server().url) }
}

export type OperationServer = ReturnType<typeof operationServer>

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

/** Resolves when the server has closed the connection. */
function rawSender(url: () => string) {
  return (bytes: string | Buffer, { isCut = false } = {}): Promise<RawAnswer> => {
    const { hostname, port } = new URL(url())
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      const chunks: Buffer[] = []
      const end = () => {
        socket.destroy()
        resolve(parseRaw(Buffer.concat(chunks).toString()))
      }
      socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
      socket.on('end', end)
      socket.on('error', end)
      if (isCut) socket.end(bytes)
      else socket.write(bytes)
    })
  }
}

function parseRaw(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const pairs = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const status = Number(first.split(' ')[1])
  return { status, headers: new Map(pairs), text: rest.join('\r\n\r\n') }
}

const TYPES = {
  components: [{ name: 'seo', displayName: 'Seo', attributes: { note: { type: 'string' } } }],
  contentTypes: [
    {
      singularName: 'author',
      pluralName: 'authors',
      attributes: { name: { type: 'string', required: true } },
    },
    {
      singularName: 'article',
      pluralName: 'articles',
      draftAndPublish: true,
      localized: true,
      attributes: {
        title: { type: 'string', required: true, maxLength: 60 },
        slug: { type: 'uid', targetField: 'title' },
        body: { type: 'richtext' },
        kind: { type: 'enumeration', enum: ['news', 'essay'] },
        rank: { type: 'integer' },
        big: { type: 'biginteger' },
        price: { type: 'decimal' },
        ratio: { type: 'float' },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        clock: { type: 'time' },
        moment: { type: 'datetime' },
        words: { type: 'tags' },
        extra: { type: 'json' },
        mail: { type: 'email' },
        link: { type: 'link' },
        pin: { type: 'password' },
        cover: { type: 'media' },
        author: relationTo('manyToOne', 'author'),
        related: relationTo('manyToMany', 'article'),
        seo: { type: 'component', component: 'default.seo' },
        parts: { type: 'component', component: 'default.seo', repeatable: true },
      },
    },
    {
      kind: 'singleType',
      singularName: 'home',
      pluralName: 'homes',
      attributes: { title: { type: 'string' } },
    },
  ],
}

/** Types with every kind of attribute, a second language and a few entries. */
export async function fillContent({ ok, data }: Pick<OperationServer, 'ok' | 'data'>) {
  await ok('POST', '/api/v1/content-types/batch', { body: TYPES })
  await ok('POST', '/api/v1/locales', { body: { code: 'fr', name: 'French' } })
  const author = await data('POST', '/api/v1/authors', { body: { name: 'Ada' } })
  const articles: { id: number; document_id: string }[] = []
  for (const title of ['One', 'Two', 'Three']) {
    const body = { title, rank: articles.length, author: author.id, seo: { note: 'n' } }
    articles.push(await data('POST', '/api/v1/articles', { body }))
  }
  return {
    ids: articles.map(({ id }) => id),
    documents: articles.map(({ document_id }) => document_id),
    author: Number(author.id),
  }
}
