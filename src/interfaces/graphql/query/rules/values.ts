import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLString,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type ObjectValueNode,
  type ValueNode,
  validateInputLiteral,
} from 'graphql'
import { type AddFault, checkUnique } from './faults.ts'
import type { Uses } from './variables.ts'

/** What a value is checked with. */
interface Checking {
  readonly add: AddFault
  readonly uses: Uses
}

/** A value as it is written must fit the type of its position; variables are noted with theirs. */
export function checkValue(
  value: ValueNode,
  type: GraphQLInputType,
  hasDefault: boolean,
  to: Checking,
): void {
  if (value.kind === Kind.VARIABLE) to.uses.note(value, type, hasDefault)
  else if (isNonNullType(type)) {
    if (value.kind !== Kind.NULL) checkValue(value, type.ofType, false, to)
    else to.add(`Expected value of non-null type "${type}" not to be null.`, value)
  } else if (value.kind !== Kind.NULL) checkGiven(value, type, to)
}

function checkGiven(value: ValueNode, type: GraphQLInputType, to: Checking): void {
  if (isListType(type)) {
    const items = value.kind === Kind.LIST ? value.values : [value]
    for (const item of items) checkValue(item, type.ofType, false, to)
  } else if (!isInputObjectType(type)) checkLeaf(value, type, to)
  else if (value.kind === Kind.OBJECT) checkObject(value, type, to)
  else to.add(`Expected value of type "${type}" to be an object.`, value)
}

function checkObject(value: ObjectValueNode, type: GraphQLInputObjectType, to: Checking): void {
  checkNames(value, to.add)
  const fields = type.getFields()
  for (const node of value.fields) {
    const name = node.name.value
    const field = fields[name]
    if (field) checkValue(node.value, field.type, isOptional(field), to)
    else to.add(`Expected value of type "${type}" not to include unknown field "${name}".`, node)
  }
  for (const name of requiredIn(type)) {
    if (value.fields.some((node) => node.name.value === name)) continue
    to.add(`Expected value of type "${type}" to include required field "${name}".`, value)
  }
}

const required = new WeakMap<GraphQLInputObjectType, readonly string[]>()

/** Once for each type: filters have dozens of fields, none of which is required. */
function requiredIn(type: GraphQLInputObjectType): readonly string[] {
  const known = required.get(type)
  if (known) return known
  const fields = Object.values(type.getFields())
  const names = fields.filter(isRequiredInputField).map(({ name }) => name)
  required.set(type, names)
  return names
}

/** Whether a position says itself what holds where nothing is given. */
export function isOptional(field: { readonly default?: unknown; readonly defaultValue?: unknown }) {
  return field.default !== undefined || field.defaultValue !== undefined
}

function checkNames({ fields }: ObjectValueNode, add: AddFault): void {
  const message = (name: string) => `There can be only one input field named "${name}".`
  checkUnique(fields, ({ name }) => name.value, message, add)
}

/** Numbers, texts and choices; a scalar that takes any JSON takes lists and objects with variables inside. */
function checkLeaf(value: ValueNode, type: GraphQLInputType, to: Checking): void {
  if (isPlain(value, type)) return
  noteInner(value, type, to)
  // Without its position: to look for the line of each of many faults takes longer than all rules.
  const bare: ValueNode = { ...value, loc: undefined }
  const report = ({ message }: Error) => to.add(message, value)
  validateInputLiteral(bare, type, report, undefined, undefined, true)
}

/** What is right at first sight, as nearly all values are. */
function isPlain(value: ValueNode, type: GraphQLInputType): boolean {
  switch (value.kind) {
    case Kind.STRING:
      return type === GraphQLString || type === GraphQLID
    case Kind.INT:
      return value.value.length < 10 && (type === GraphQLInt || type === GraphQLFloat)
    default:
      return value.kind === Kind.BOOLEAN && type === GraphQLBoolean
  }
}

function noteInner(value: ValueNode, type: GraphQLInputType | undefined, to: Checking): void {
  if (value.kind === Kind.VARIABLE) to.uses.note(value, type, false)
  else if (value.kind === Kind.LIST) for (const item of value.values) noteInner(item, type, to)
  else if (value.kind === Kind.OBJECT) {
    checkNames(value, to.add)
    for (const field of value.fields) noteInner(field.value, undefined, to)
  }
}
