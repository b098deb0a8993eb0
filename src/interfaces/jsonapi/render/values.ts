import { type JsonValue, renderMarkup, type WireKind, wireKindOf } from '#content'
import { renderBlocks } from '#content-dialect'
import type { ScalarAttribute } from '#content-model'

type RenderValue = (value: JsonValue, attribute: ScalarAttribute, format?: string) => string

/** What looks otherwise on this wire (contract §3), or is missing otherwise than as null. */
interface OwnForm {
  readonly render: RenderValue
  readonly none: string
}

const FORMS: Readonly<Record<WireKind, OwnForm | 'stored'>> = {
  text: 'stored',
  markup: { render: renderRichText, none: 'null' },
  blocks: { render: renderNodes, none: 'null' },
  secret: 'stored',
  integer: 'stored',
  bigInteger: 'stored',
  decimal: 'stored',
  float: 'stored',
  boolean: 'stored',
  date: 'stored',
  time: 'stored',
  datetime: { render: (value) => `"${toOffset(String(value))}"`, none: 'null' },
  json: 'stored',
  words: { render: (value) => JSON.stringify(value), none: '[]' },
  link: { render: renderLinkValue, none: 'null' },
}

export function isAsStored(attribute: ScalarAttribute): boolean {
  return FORMS[wireKindOf(attribute)] === 'stored'
}

/** The JSON of one value; `format` is that which is stored with rich text. */
export function renderValue(
  attribute: ScalarAttribute,
  value: JsonValue | undefined,
  format?: string,
): string {
  const form = FORMS[wireKindOf(attribute)]
  if (form === 'stored') return JSON.stringify(value ?? null)
  return value === undefined || value === null ? form.none : form.render(value, attribute, format)
}

function renderRichText(given: JsonValue, attribute: ScalarAttribute, stored?: string): string {
  const value = String(given)
  const format = stored ?? ('format' in attribute ? attribute.format : undefined) ?? 'basic_html'
  return JSON.stringify({ value, format, processed: renderMarkup(value, format), summary: null })
}

function renderNodes(value: JsonValue): string {
  const processed = renderBlocks(value)
  return JSON.stringify({ value, format: 'blocks', processed, summary: null })
}

/** `2026-03-01T09:30:00+00:00`; milliseconds only where there are some. */
function toOffset(iso: string): string {
  return `${iso.slice(0, iso.endsWith('.000Z') ? -5 : -1)}+00:00`
}

/** A link to a document of the store has its id as URI. */
function renderLinkValue(value: JsonValue): string {
  const link = new Map(Object.entries(value ?? {}))
  const entry = link.get('entry')
  const target = link.get('target')
  return JSON.stringify({
    uri: typeof entry === 'string' ? `entity:${entry}` : (link.get('url') ?? null),
    title: link.get('title') ?? null,
    options: typeof target === 'string' ? { attributes: { target } } : {},
  })
}
