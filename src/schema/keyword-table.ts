// How the keywords of JSON Schema are built, to walk a schema that came from elsewhere.

export type KeywordShape =
  | 'schema'
  | 'schemas'
  | 'map'
  | 'items'
  | 'dependencies'
  | 'number'
  | 'text'
  | 'names'
  | 'list'
  | 'type'

const shapes: { readonly [shape in KeywordShape]: string } = {
  schema:
    'additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames ' +
    'not if then else',
  schemas: 'allOf anyOf oneOf prefixItems',
  map: 'properties patternProperties $defs definitions dependentSchemas',
  items: 'items',
  dependencies: 'dependencies',
  number:
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems ' +
    'minProperties maxProperties minContains maxContains',
  text: '$ref $id $anchor pattern format',
  names: 'required',
  list: 'enum',
  type: 'type',
}

export const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** A table of what each keyword holds; a keyword that is not in it holds plain data. */
export function keywordTable(): ReadonlyMap<string, KeywordShape> {
  const table = new Map<string, KeywordShape>()
  for (const [shape, names] of Object.entries(shapes)) {
    for (const name of names.split(' ')) table.set(name, shape as KeywordShape)
  }
  return table
}

/** The keywords that check the same value again: following only these, nothing of the value is used up. */
export const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']
