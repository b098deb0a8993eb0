/** A list of what is JSON already. A text that grows is copied once, when it is sent; joined ones each time. */
export function jsonList<Item>(items: readonly Item[], render: (item: Item) => string): string {
  let text = '['
  for (const item of items) text += text === '[' ? render(item) : `,${render(item)}`
  return `${text}]`
}
