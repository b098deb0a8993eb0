import { Checkbox, MultiSelect, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Attribute, type Attributes, componentsQuery, typesQuery } from '../../api/content.ts'

interface Props {
  readonly option: string
  readonly attribute: Attribute
  readonly others: Attributes
  /** Undefined: as if it had not been given. */
  onChange(value: unknown): void
}

const FORMATS = ['basic_html', 'full_html', 'restricted_html', 'markdown', 'plain_text', 'blocks']
const RELATIONS = [
  { value: 'manyToOne', label: 'one of them (many to one)' },
  { value: 'manyToMany', label: 'several of them (many to many)' },
  { value: 'oneToOne', label: 'one, and it only once (one to one)' },
  { value: 'oneToMany', label: 'several that are its own (one to many)' },
]
const WORDS: Readonly<Record<string, string>> = {
  minLength: 'Shortest',
  maxLength: 'Longest',
  min: 'Smallest',
  max: 'Largest',
  scale: 'Digits behind the point',
  regex: 'Pattern (regular expression)',
  default: 'Default',
  inversedBy: 'Seen from there as (owner of the relation)',
  mappedBy: 'Is the other side of (attribute there)',
}
const NUMBERS = ['minLength', 'maxLength', 'min', 'max', 'scale']

/** One option of an attribute, asked for in the way its values want. */
export function AttributeOption(props: Props) {
  const { option, attribute, others, onChange } = props
  const { data: types = [] } = useQuery(typesQuery)
  const { data: components = [] } = useQuery(componentsQuery)
  const value = attribute[option as keyof Attribute]
  const parts = components.map(({ uid, displayName }) => ({ value: uid, label: displayName }))
  const select = (label: string, data: ({ value: string; label: string } | string)[]) => (
    <NativeSelect
      label={label}
      value={String(value ?? '')}
      data={[{ value: '', label: 'choose' }, ...data]}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  )
  switch (option) {
    case 'unique':
    case 'multiple':
    case 'repeatable':
      return (
        <Checkbox
          label={option === 'unique' ? 'Unique' : 'Several'}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked || undefined)}
        />
      )
    case 'enum':
      return (
        <TagsInput
          label="Choices"
          description="Enter adds one"
          value={list(value)}
          onChange={(each) => onChange(each.length > 0 ? each : undefined)}
        />
      )
    case 'format':
      return select('Format', FORMATS)
    case 'targetField':
      return select('Made from', Object.keys(others))
    case 'relation':
      return select('How many', RELATIONS)
    case 'target':
      return select(
        'Of the type',
        types.map(({ singularName, displayName }) => ({ value: singularName, label: displayName })),
      )
    case 'component':
      return select('Component', parts)
    case 'components':
      return <MultiSelect label="Components" data={parts} value={list(value)} onChange={onChange} />
    case 'allowedTypes':
      return (
        <MultiSelect
          label="Which files"
          data={['images', 'videos', 'audios', 'files']}
          value={list(value)}
          onChange={(each) => onChange(each.length > 0 ? each : undefined)}
        />
      )
    default:
      if (option === 'default' && attribute.type === 'boolean') return <DefaultAnswer {...props} />
      return (
        <TextInput
          label={WORDS[option] ?? option}
          value={value === undefined ? '' : String(value)}
          inputMode={NUMBERS.includes(option) ? 'numeric' : 'text'}
          onChange={(event) => onChange(read(option, attribute.type, event.currentTarget.value))}
        />
      )
  }
}

/** Three answers: a box that is not ticked could mean `no` or nothing. */
function DefaultAnswer({ attribute, onChange }: Props) {
  return (
    <NativeSelect
      label="Default"
      value={attribute.default === undefined ? '' : String(attribute.default)}
      data={[
        { value: '', label: 'none' },
        { value: 'true', label: 'yes' },
        { value: 'false', label: 'no' },
      ]}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === '' ? undefined : value === 'true')
      }
    />
  )
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

const NUMERIC = ['integer', 'float', 'decimal']

function read(option: string, kind: string, text: string): unknown {
  if (text === '') return undefined
  const isNumber = NUMBERS.includes(option) || (option === 'default' && NUMERIC.includes(kind))
  if (isNumber && String(Number(text)) === text) return Number(text)
  return text
}
