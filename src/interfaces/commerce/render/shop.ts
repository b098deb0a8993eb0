import { productType, storeCodeOf } from '#commerce'
import { isCompared } from '#content'
import { type Attribute, type ContentModel, isScalar } from '#content-model'

const MODULES = ['Entrepot_Content', 'Entrepot_Commerce', 'Entrepot_Webhooks']
const TYPES = {
  simple: 'Simple Product',
  virtual: 'Virtual Product',
  downloadable: 'Downloadable Product',
  configurable: 'Configurable Product',
  bundle: 'Bundle Product',
  grouped: 'Grouped Product',
}
/** How a form of the dialect asks for a value of the kind. */
const INPUTS: Readonly<Record<string, string>> = {
  text: 'textarea',
  richtext: 'textarea',
  boolean: 'boolean',
  enumeration: 'select',
  date: 'date',
  datetime: 'datetime',
  tags: 'multiselect',
  media: 'media_image',
  relation: 'multiselect',
}

export function renderModules(): readonly string[] {
  return MODULES
}

export function renderTypes() {
  return Object.entries(TYPES).map(([name, label]) => ({ name, label }))
}

export function renderWebsites() {
  return [{ id: 1, code: 'base', name: 'Main Website', default_group_id: 1 }]
}

/** One view for each locale; the default locale is the view `default`. */
export function renderStoreViews({ locales }: ContentModel) {
  return inOrder(locales).map(({ code, name, isDefault }, at) => ({
    id: at + 1,
    code: isDefault ? 'default' : storeCodeOf(code),
    name,
    website_id: 1,
    store_group_id: 1,
    is_active: 1,
  }))
}

export function renderStoreConfigs(model: ContentModel, origin: string) {
  const locales = inOrder(model.locales)
  return renderStoreViews(model).map(({ id, code, website_id }, at) => ({
    id,
    code,
    website_id,
    locale: (locales[at]?.code ?? '').replaceAll('-', '_'),
    base_currency_code: 'USD',
    default_display_currency_code: 'USD',
    timezone: 'UTC',
    weight_unit: 'kgs',
    base_url: `${origin}/`,
    base_link_url: `${origin}/`,
    base_static_url: `${origin}/`,
    base_media_url: `${origin}/uploads/`,
    secure_base_url: `${origin}/`,
    secure_base_link_url: `${origin}/`,
    secure_base_static_url: `${origin}/`,
    secure_base_media_url: `${origin}/uploads/`,
  }))
}

export function renderAttributeSets() {
  return [{ attribute_set_id: 4, attribute_set_name: 'Default', sort_order: 1, entity_type_id: 4 }]
}

/** One for each field of the content type (contract §8). */
export function renderAttributes(model: ContentModel) {
  const shown = productType(model).attributes.filter((attribute) => !attribute.private)
  return shown.map((attribute) => ({
    attribute_id: attribute.no,
    attribute_code: attribute.name,
    frontend_input: attribute.name === 'price' ? 'price' : (INPUTS[attribute.type] ?? 'text'),
    default_frontend_label: labelOf(attribute.name),
    is_required: attribute.required,
    is_unique: attribute.unique ? '1' : '0',
    used_for_sort_by: isSortable(attribute),
    is_filterable: isSortable(attribute) || attribute.type === 'relation',
    is_searchable: attribute.searchable ? '1' : '0',
    options:
      attribute.type === 'enumeration'
        ? attribute.enum.map((value) => ({ label: value, value }))
        : [],
  }))
}

function isSortable(attribute: Attribute): boolean {
  return isScalar(attribute) && isCompared(attribute)
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`
}

function inOrder(locales: ContentModel['locales']) {
  return [...locales.filter((each) => each.isDefault), ...locales.filter((each) => !each.isDefault)]
}
