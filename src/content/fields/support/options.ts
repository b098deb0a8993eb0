import Type from 'typebox'

const Length = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 }))

export const LENGTHS = { minLength: Length, maxLength: Length }
export const RANGE = { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) }
export const NONE = Type.Object({})
