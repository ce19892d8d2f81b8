// How values are shown by `console.log`: the text of a function that is evaluated inside the engine, as a part of
// the prelude, which captured what it uses.

/** Bounded: 4 levels, 100 items of each, 1,000 values and 10,000 characters of a text in all. */
export const inspectText: string = String.raw`
  const show = (value) => {
    const seen = new Set()
    let left = 1000
    const indent = (text) => apply(replaceAll, text, ['\n', '\n  '])
    const name = (value) => {
      const maker = getPrototypeOf(value) === null ? undefined : value.constructor
      return typeof maker === 'function' && typeof maker.name === 'string' ? maker.name : ''
    }
    const lines = (items, width) => {
      let text = ''
      let line = ''
      for (let i = 0; i < items.length; i++) {
        const item = i + 1 < items.length ? items[i] + ',' : items[i]
        const fits = line !== '' && line.length + item.length < width
        if (line !== '' && !fits) text += line + '\n'
        line = fits ? line + ' ' + item : item
      }
      return text + line
    }
    const group = (head, open, items, close) => {
      const start = head === '' ? open : head + ' ' + open
      if (items.length === 0) return start + close
      let flat = items[0]
      let longest = 0
      for (let i = 0; i < items.length; i++) {
        if (i > 0) flat += ', ' + items[i]
        if (items[i].length > longest) longest = items[i].length
      }
      if (flat.length <= 72 && !apply(includes, flat, ['\n'])) return start + ' ' + flat + ' ' + close
      const width = open === '[' && longest <= 16 ? 72 : 0
      return start + '\n  ' + indent(lines(items, width)) + '\n' + close
    }
    const some = (count, item) => {
      const items = []
      for (let i = 0; i < count && i < 100; i++) items[i] = item(i)
      if (count > 100) items[100] = '… ' + (count - 100) + ' more'
      return items
    }
    const entries = (value, depth) => {
      const keys = ownKeys(value)
      const items = []
      let rest = 0
      for (let i = 0; i < keys.length; i++) {
        const found = getOwnPropertyDescriptor(value, keys[i])
        if (!found?.enumerable) continue
        if (items.length === 100) rest++
        if (items.length === 100) continue
        const key = typeof keys[i] === 'symbol' ? '[' + text(keys[i]) + ']' : keys[i]
        const isPlain = typeof keys[i] === 'symbol' || apply(test, plainKey, [key])
        const shown = found.get || found.set ? '[Getter]' : inner(found.value, depth + 1)
        items[items.length] = (isPlain ? key : stringify(key)) + ': ' + shown
      }
      if (rest > 0) items[items.length] = '… ' + rest + ' more'
      return items
    }
    const collection = (value, depth) => {
      if (isArray(value)) return group('', '[', some(value.length, (i) => inner(value[i], depth + 1)), ']')
      if (isView(value) && !(value instanceof NativeDataView)) {
        const length = value.length
        return group(name(value) + '(' + length + ')', '[', some(length, (i) => inner(value[i], depth + 1)), ']')
      }
      const all = []
      const isMap = value instanceof NativeMap
      if (!isMap && !(value instanceof NativeSet)) return undefined
      apply(isMap ? mapForEach : setForEach, value, [(item, key) => void (all[all.length] = isMap ? [key, item] : item)])
      const one = (i) => (isMap ? inner(all[i][0], depth + 1) + ' => ' + inner(all[i][1], depth + 1) : inner(all[i], depth + 1))
      return group((isMap ? 'Map(' : 'Set(') + all.length + ')', '{', some(all.length, one), '}')
    }
    const object = (value, depth) => {
      if (value instanceof NativeError) return errorText(value)
      if (value instanceof NativeDate) return apply(dateJson, value, []) ?? 'Invalid Date'
      if (value instanceof NativeRegExp) return text(value)
      if (value instanceof NativePromise) return 'Promise { … }'
      if (depth > 4) return isArray(value) ? '[Array]' : '[' + (name(value) || 'Object') + ']'
      const kind = name(value)
      return collection(value, depth) ?? group(kind === 'Object' ? '' : kind || '[Object: null prototype]', '{', entries(value, depth), '}')
    }
    const inner = (value, depth) => {
      if (left-- <= 0) return '…'
      if (typeof value === 'string') return depth === 0 ? value : stringify(cut(value, 10000))
      if (typeof value === 'bigint') return value + 'n'
      if (value === 0 && 1 / value < 0) return '-0'
      if (typeof value === 'function') return '[Function: ' + (value.name || 'anonymous') + ']'
      if (typeof value !== 'object' || value === null) return text(value)
      if (apply(setHas, seen, [value])) return '[Circular]'
      apply(setAdd, seen, [value])
      const shown = object(value, depth)
      apply(setDelete, seen, [value])
      return shown
    }
    try {
      return inner(value, 0)
    } catch (error) {
      return '[a value that cannot be shown]'
    }
  }
`
