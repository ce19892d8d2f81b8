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

/** What each keyword holds; a keyword that is not in it holds plain data. */
export const keywordShapes: ReadonlyMap<string, KeywordShape> = new Map<string, KeywordShape>([
  ['additionalItems', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['contains', 'schema'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['not', 'schema'],
  ['if', 'schema'],
  ['then', 'schema'],
  ['else', 'schema'],
  ['allOf', 'schemas'],
  ['anyOf', 'schemas'],
  ['oneOf', 'schemas'],
  ['prefixItems', 'schemas'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependentSchemas', 'map'],
  ['items', 'items'],
  ['dependencies', 'dependencies'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
  ['minLength', 'number'],
  ['maxLength', 'number'],
  ['minItems', 'number'],
  ['maxItems', 'number'],
  ['minProperties', 'number'],
  ['maxProperties', 'number'],
  ['minContains', 'number'],
  ['maxContains', 'number'],
  ['$ref', 'text'],
  ['$id', 'text'],
  ['$anchor', 'text'],
  ['pattern', 'text'],
  ['format', 'text'],
  ['required', 'names'],
  ['enum', 'list'],
  ['type', 'type'],
])

export const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The keywords that check the same value again: following only these, nothing of the value is used up. */
export const inPlace: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']
