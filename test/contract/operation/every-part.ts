import sharp from 'sharp'
import { type createCalls, until } from '#test-kit'

type Calls = ReturnType<typeof createCalls>

/** Fills every part of the product that keeps something of its own; paths that show it. */
export async function fillEveryPart(calls: Calls): Promise<string[]> {
  return [
    ...(await fillLibrary(calls)),
    ...(await fillPages(calls)),
    ...(await fillShop(calls)),
    ...(await fillGateway(calls)),
    ...(await fillWebhooks(calls)),
  ]
}

/** A picture with its formats, in a folder. */
async function fillLibrary({ data }: Calls): Promise<string[]> {
  const folder = await data('POST', '/api/v1/media/folders', { body: { path: '/trips/south' } })
  const picture = sharp({ create: { width: 900, height: 500, channels: 3, background: 'teal' } })
  const form = new FormData()
  form.set('file', new File([new Uint8Array(await picture.jpeg().toBuffer())], 'sea.jpg'))
  form.set('folder', '/trips/south')
  const { id, url } = await data('POST', '/api/v1/media', { form })
  const formats: Record<string, { url: string }> = await until(
    async () => (await data('GET', `/api/v1/media/${id}`)).formats ?? undefined,
    { withinMs: 30_000, what: 'formats' },
  )
  return [
    ...[url, ...Object.values(formats).map((format) => format.url)],
    ...[`/api/v1/media/${id}`, `/api/upload/files/${id}`, '/api/v1/media?folder=/trips/south'],
    ...['/api/v1/media/folders', `/api/v1/media/folders/${folder.id}`],
    '/cms/delivery/api/v2/media',
  ]
}

/** Dynamic zones, former versions, times of publication, permissions. */
async function fillPages({ data, ok }: Calls): Promise<string[]> {
  const quote = {
    name: 'quote',
    attributes: { text: { type: 'text' }, stars: { type: 'integer' } },
  }
  await data('POST', '/api/v1/components', { body: quote })
  await data('POST', '/api/v1/content-types', {
    body: {
      ...{ singularName: 'page', pluralName: 'pages', draftAndPublish: true, localized: true },
      permissions: { public: [], read: ['read'], write: ['read', 'create', 'update'] },
      attributes: {
        title: { type: 'string' },
        sections: { type: 'dynamiczone', components: ['default.quote', 'default.seo'] },
      },
    },
  })
  const sections = [
    { __component: 'default.quote', text: 'First', stars: 3 },
    { __component: 'default.seo', note: 'Second' },
  ]
  const page = await data('POST', '/api/v1/pages', { body: { title: 'Version 1', sections } })
  await ok('PATCH', `/api/v1/pages/${page.id}`, { body: { title: 'Version 2' } })
  await ok('POST', `/api/v1/pages/${page.id}/publish`)
  await ok('PATCH', `/api/v1/pages/${page.id}?locale=fr`, { body: { title: 'Troisième' } })
  const times = {
    publish_at: '2099-01-01T00:00:00.000Z',
    unpublish_at: '2099-02-01T00:00:00.000Z',
  }
  const planned = await data('POST', '/api/v1/pages', { body: { title: 'Planned', ...times } })
  const { data: revisions } = await ok('GET', `/api/v1/pages/${page.id}/revisions`)
  return [
    ...[`/api/v1/pages/${page.id}`, `/api/v1/pages/${page.id}?locale=fr`],
    `/api/v1/pages/${planned.id}?status=draft`,
    ...['/api/pages?populate=sections&status=draft', '/jsonapi/node/page', '/api/v1/pages'],
    ...['/api/v1/content-types/page', '/api/v1/components', '/api/v1/components/default.quote'],
    `/api/v1/pages/${page.id}/revisions`,
    ...revisions.map(({ id }: { id: number }) => `/api/v1/pages/${page.id}/revisions/${id}`),
  ]
}

export async function fillShop({ ok }: Calls): Promise<string[]> {
  await ok('POST', '/api/v1/content-types', {
    body: {
      ...{ singularName: 'product', pluralName: 'products', draftAndPublish: true },
      attributes: {
        name: { type: 'string' },
        sku: { type: 'string', required: true, unique: true },
        price: { type: 'decimal', scale: 4 },
        stock: { type: 'integer', default: 0, unversioned: true },
        is_in_stock: { type: 'boolean', default: true, unversioned: true },
        stock_item: { type: 'json', unversioned: true },
        custom_attributes: { type: 'json' },
      },
    },
  })
  for (const [sku, price] of Object.entries({ lamp: 12.5, chair: 99.9999 })) {
    const extension_attributes = { stock_item: { qty: 10, is_in_stock: true } }
    const product = { sku, name: `A ${sku}`, price, status: 1, extension_attributes }
    await ok('POST', '/rest/V1/products', { body: { product } })
  }
  const items = [{ sku: 'lamp', qty_ordered: 3 }]
  const entity = { customer_email: 'cy@example.org', items }
  const { entity_id } = await ok('POST', '/rest/V1/orders', { body: { entity } })
  await ok('POST', `/rest/V1/orders/${entity_id}/comments`, {
    body: { statusHistory: { comment: 'A comment', is_customer_notified: 0 } },
  })
  return [
    ...['/rest/V1/products/lamp', '/rest/V1/products/chair', '/rest/V1/stockItems/lamp'],
    ...['/rest/V1/stockStatuses/lamp', `/rest/V1/orders/${entity_id}`],
    ...[`/rest/V1/orders/${entity_id}/statuses`, '/rest/V1/orders?searchCriteria[pageSize]=10'],
    '/rest/V1/products?searchCriteria[pageSize]=10',
  ]
}

async function fillGateway({ ok }: Calls): Promise<string[]> {
  const upstream = { type: 'roundrobin', nodes: { '192.0.2.1:80': 1 } }
  await ok('PUT', '/gateway/admin/upstreams/far', { body: upstream })
  await ok('PUT', '/gateway/admin/services/far', { body: { upstream_id: 'far' } })
  const plugins = { 'limit-count': { count: 5, time_window: 60, rejected_code: 429 } }
  await ok('PUT', '/gateway/admin/plugin_configs/few', { body: { plugins } })
  await ok('PUT', '/gateway/admin/routes/far', {
    body: { uri: '/far/*', service_id: 'far', plugin_config_id: 'few' },
  })
  return ['upstreams', 'services', 'plugin_configs', 'routes', 'global_rules', 'ssls'].map(
    (kind) => `/gateway/admin/${kind}`,
  )
}

async function fillWebhooks({ ok }: Calls): Promise<string[]> {
  await ok('POST', '/webhooks/event-types', {
    body: { name: 'invoice.paid', description: 'An invoice was paid' },
  })
  const { id } = await ok('POST', '/webhooks/subscriptions', {
    body: {
      ...{ endpoint_url: 'https://receiver.example/invoices', events: ['invoice.paid'] },
      ...{ event_patterns: ['order.*'], headers: { 'x-shop': 'north' } },
    },
  })
  return [`/webhooks/subscriptions/${id}`, '/webhooks/event-types/invoice.paid']
}
