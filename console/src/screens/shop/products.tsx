import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { listQuery } from '../../api/lists.ts'
import { queryClient } from '../../api/query-client.ts'
import { may, useSession } from '../../api/session.ts'
import { pageIn, useGo, useSearchText } from '../../location.ts'
import { AreaTabs } from '../../parts/area-tabs.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { icons } from '../../parts/icons.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { Page } from '../../parts/page.tsx'
import { PageNumbers } from '../../parts/page-numbers.tsx'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { BulkChange } from './bulk-change.tsx'
import { PRODUCTS, type Product } from './records.ts'
import { TABS } from './tabs.ts'

/** Products with price and stock, which are changed where they stand. */
export default function Products() {
  const go = useGo()
  const session = useSession()
  const [search, setSearch] = useSearchText()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const page = pageIn(search)
  const query = { page, per_page: 50, status: 'all', q: search['q'] || undefined }
  const { data, error } = useQuery(listQuery<Product>(PRODUCTS, query))
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title="Products">
        <AreaTabs label="Products and orders" tabs={TABS} />
        <Empty
          title="This server sells no products"
          action={
            may(session, 'admin') && <Button onClick={() => go('/types/new')}>New type</Button>
          }
        >
          It has no content type products. Start it with the demo content, or make the type.
        </Empty>
      </Page>
    )
  }
  if (error && !data) return <ScreenFault error={error} />
  const make = (
    <Button leftSection={icons.plus} onClick={() => go('/content/products/new')}>
      New product
    </Button>
  )
  const columns: readonly Column<Product>[] = [
    { key: 'sku', title: 'SKU', render: ({ sku }) => sku },
    { key: 'name', title: 'Name', render: ({ name }) => name },
    { key: 'price', title: 'Price', render: (product) => <Inline product={product} of="price" /> },
    { key: 'stock', title: 'Stock', render: (product) => <Inline product={product} of="stock" /> },
    { key: 'status', title: 'State', render: ({ status }) => <StatusBadge status={status} /> },
  ]
  return (
    <Page
      title="Products"
      note="Price and stock are saved when you leave the field."
      actions={make}
    >
      <AreaTabs label="Products and orders" tabs={TABS} />
      <Group mb="sm">
        <SearchBox
          label="Search products"
          placeholder="Search"
          text={search['q']}
          onChange={(q) => setSearch({ q, page: undefined })}
        />
      </Group>
      <BulkChange selected={selected} onDone={() => setSelected(new Set())} />
      {data?.meta['total'] === 0 && !search['q'] ? (
        <Empty title="No products yet" action={make}>
          A product has a SKU, a price and a stock, and is sold by shops at /rest/V1.
        </Empty>
      ) : (
        <DataTable
          label="Products"
          rows={data?.data}
          columns={columns}
          rowKey={({ id }) => String(id)}
          open={({ document_id }) => go(`/content/products/${document_id}`)}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      <PageNumbers page={page} meta={data?.meta} onGo={(to) => setSearch({ page: String(to) })} />
    </Page>
  )
}

function Inline({ product, of }: { product: Product; of: 'price' | 'stock' }) {
  const stored = product[of] === null ? null : Number(product[of])
  const [value, setValue] = useState<number | null>()
  const save = useMutation({
    mutationFn: (next: number) =>
      send(`${PRODUCTS}/${product.id}`, { method: 'PATCH', body: { [of]: next } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: [PRODUCTS] })
      setValue(undefined)
    },
  })
  return (
    <NumberField
      size="xs"
      w={110}
      min={0}
      aria-label={`${of === 'price' ? 'Price' : 'Stock'} of ${product.sku}`}
      allowDecimal={of === 'price'}
      value={value === undefined ? stored : value}
      error={save.error ? messageOf(save.error) : undefined}
      onClick={(event) => event.stopPropagation()}
      onChange={setValue}
      onBlur={() => {
        // What was only emptied is not meant to be free or sold out.
        if (value == null || value === stored) setValue(undefined)
        else save.mutate(value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}
