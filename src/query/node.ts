// The tree of a JMESPath expression, as its parser gives it and as it is run.

export type Comparison = 'EQ' | 'NE' | 'LT' | 'LTE' | 'GT' | 'GTE'

export type QueryNode =
  | { readonly type: 'Field'; readonly name: string }
  | { readonly type: 'Index'; readonly value: number }
  | { readonly type: 'Slice'; readonly children: readonly (number | null)[] }
  | { readonly type: 'Literal'; readonly value: unknown }
  | { readonly type: 'Identity' | 'Current' }
  | { readonly type: 'Comparator'; readonly name: Comparison; readonly children: readonly QueryNode[] }
  | { readonly type: 'Function'; readonly name: string; readonly children: readonly QueryNode[] }
  | { readonly type: 'MultiSelectHash'; readonly children: readonly KeyValue[] }
  | { readonly type: Branching; readonly children: readonly QueryNode[] }

type Branching =
  | 'Subexpression'
  | 'IndexExpression'
  | 'Pipe'
  | 'Projection'
  | 'ValueProjection'
  | 'FilterProjection'
  | 'Flatten'
  | 'MultiSelectList'
  | 'OrExpression'
  | 'AndExpression'
  | 'NotExpression'
  | 'ExpressionReference'

export interface KeyValue {
  readonly type: 'KeyValuePair'
  readonly name: string
  readonly value: QueryNode
}
