import { encodeCursor } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import type { PageMember } from '../schema/meaning.ts'
import { type Write, type WrittenMember, within, writeList, writeObject } from './writing.ts'

/** A piece of a list, however it was found. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Null when nobody asked for it. */
  readonly total: number | null
  readonly start: number
  readonly limit: number
  readonly hasMore: boolean
  readonly hasPrevious: boolean
  /** Where an item stands; of pages that are walked by cursors. */
  positionAt(index: number): readonly (string | number | boolean | null)[]
}

interface Edge<Item> {
  readonly page: Page<Item>
  readonly index: number
}

/** `writeItem` makes the writer of what is picked of an item; `tag`: of the cursors. */
export function compilePage<Item>(
  picked: readonly Picked[],
  writeItem: (picked: readonly Picked[]) => Write<Item>,
  tag: string,
): Write<Page<Item>> {
  return writeObject(picked.map((each) => compile(each)))

  function compile({ key, name, parent, meaning, isSure, of }: Picked): WrittenMember<Page<Item>> {
    switch (meaning?.of) {
      case 'items': {
        const write = writeItem(of())
        return own((page, to) => writeList(page.items, write, to))
      }
      case 'edges': {
        const write = compileEdge(of(), writeItem, tag)
        return own((page, to) =>
          writeList(page.items, (_, inner, index) => write({ page, index }, inner), to),
        )
      }
      case 'self':
        return own(compilePage(of(), writeItem, tag))
      case 'page':
        return { key, isSure, write: numberOf(meaning.name, tag) }
      default:
        if (name === '__typename') return { key, isSure, write: () => JSON.stringify(parent) }
        throw new Error(`a page has no ${parent}.${name}`)
    }

    function own(write: Write<Page<Item>>): WrittenMember<Page<Item>> {
      return { key, isSure, write: within(key, write) }
    }
  }
}

function compileEdge<Item>(
  picked: readonly Picked[],
  writeItem: (picked: readonly Picked[]) => Write<Item>,
  tag: string,
): Write<Edge<Item>> {
  return writeObject(
    picked.map(({ key, name, parent, meaning, isSure, of }) => {
      if (meaning?.of === 'cursor') {
        const write: Write<Edge<Item>> = ({ page, index }) =>
          `"${encodeCursor(page.positionAt(index), tag)}"`
        return { key, isSure, write }
      }
      if (name === '__typename') return { key, isSure, write: () => JSON.stringify(parent) }
      const write = writeItem(of())
      return {
        key,
        isSure,
        write: within<Edge<Item>>(key, ({ page, index }, to) => {
          const item = page.items[index]
          return item === undefined ? null : write(item, to)
        }),
      }
    }),
  )
}

function numberOf(name: PageMember, tag: string): <Item>(page: Page<Item>) => string | null {
  const cursorAt = <Item>(page: Page<Item>, index: number) =>
    page.items.length === 0 ? null : `"${encodeCursor(page.positionAt(index), tag)}"`
  switch (name) {
    case 'total':
      return ({ total }) => String(total ?? 0)
    case 'page':
      return ({ start, limit }) => String(Math.floor(start / limit) + 1)
    case 'pageSize':
    case 'limit':
      return ({ limit }) => String(limit)
    case 'pageCount':
      return ({ total, limit }) => String(Math.ceil((total ?? 0) / limit))
    case 'offset':
      return ({ start }) => String(start)
    case 'hasNextPage':
      return ({ hasMore }) => String(hasMore)
    case 'hasPreviousPage':
      return ({ hasPrevious }) => String(hasPrevious)
    case 'startCursor':
      return (page) => cursorAt(page, 0)
    case 'endCursor':
      return (page) => cursorAt(page, page.items.length - 1)
  }
}

/** Whether the whole list has to be counted for what is picked of a page. */
export function isCounted(picked: readonly Picked[]): boolean {
  return picked.some(({ meaning, of }) => {
    if (meaning?.of === 'self') return isCounted(of())
    return meaning?.of === 'page' && ['total', 'pageCount'].includes(meaning.name)
  })
}
