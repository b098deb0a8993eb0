// JSON Schemas that users write, checked in linear time.
export { createPayloadSchemas, problemsOfSchema } from './schema.ts'
