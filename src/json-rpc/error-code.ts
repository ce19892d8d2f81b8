// The error codes of JSON-RPC 2.0 itself.

export const parseErrorCode = -32700
export const invalidRequestCode = -32600
export const methodNotFoundCode = -32601
export const invalidParamsCode = -32602
export const internalErrorCode = -32603
