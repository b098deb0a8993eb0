/** Every kind of attribute in the words of people, and the options beside those that all have. */
export interface Kind {
  readonly type: string
  readonly label: string
  readonly note: string
  readonly options: readonly string[]
}

const LENGTHS = ['minLength', 'maxLength']
const RANGE = ['min', 'max']
const SCALAR = ['unique', 'default']

export const KINDS: readonly Kind[] = [
  {
    type: 'string',
    label: 'Line of text',
    note: 'A title or a name',
    options: [...SCALAR, ...LENGTHS, 'regex'],
  },
  {
    type: 'text',
    label: 'Text',
    note: 'Several lines without formatting',
    options: [...SCALAR, ...LENGTHS],
  },
  {
    type: 'richtext',
    label: 'Formatted text',
    note: 'With headings, lists and links',
    options: ['format', ...LENGTHS],
  },
  {
    type: 'uid',
    label: 'Address',
    note: 'Made from another field, unique',
    options: ['targetField', ...LENGTHS],
  },
  { type: 'email', label: 'E-mail', note: 'An e-mail address', options: [...SCALAR, ...LENGTHS] },
  { type: 'password', label: 'Password', note: 'Kept as a hash, never shown', options: LENGTHS },
  {
    type: 'integer',
    label: 'Whole number',
    note: 'Such as a stock',
    options: [...SCALAR, ...RANGE],
  },
  {
    type: 'biginteger',
    label: 'Large whole number',
    note: 'Beyond what other numbers hold',
    options: [...SCALAR, ...RANGE],
  },
  {
    type: 'decimal',
    label: 'Exact number',
    note: 'Such as a price',
    options: [...SCALAR, ...RANGE, 'scale'],
  },
  {
    type: 'float',
    label: 'Measured number',
    note: 'Such as a distance',
    options: [...SCALAR, ...RANGE],
  },
  { type: 'boolean', label: 'Yes or no', note: 'A switch', options: ['default'] },
  { type: 'date', label: 'Day', note: 'Without a time', options: SCALAR },
  { type: 'time', label: 'Time of day', note: 'Without a day', options: SCALAR },
  {
    type: 'datetime',
    label: 'Moment',
    note: 'Day and time, in every zone the same',
    options: SCALAR,
  },
  {
    type: 'enumeration',
    label: 'Choice',
    note: 'One of several words',
    options: ['enum', 'default'],
  },
  { type: 'tags', label: 'Tags', note: 'Any number of words', options: ['enum'] },
  { type: 'link', label: 'Link', note: 'An address with its words', options: [] },
  { type: 'json', label: 'JSON', note: 'Whatever a program wants to keep', options: [] },
  {
    type: 'media',
    label: 'File',
    note: 'Pictures, videos, documents',
    options: ['multiple', 'allowedTypes'],
  },
  {
    type: 'relation',
    label: 'Relation',
    note: 'Entries of a type',
    options: ['relation', 'target', 'inversedBy', 'mappedBy'],
  },
  {
    type: 'component',
    label: 'Component',
    note: 'A part with fields of its own',
    options: ['component', 'repeatable', ...RANGE],
  },
  {
    type: 'dynamiczone',
    label: 'Zone',
    note: 'Parts of several kinds in any order',
    options: ['components', ...RANGE],
  },
]

export function kindOf(type: string): Kind {
  return KINDS.find((kind) => kind.type === type) ?? { type, label: type, note: '', options: [] }
}
