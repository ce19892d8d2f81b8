// The floor's reader: the JSON of each event, as anybody would write it by hand.

/** Yields the parsed payload of every `data:` line. */
export async function* payloads(stream) {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += decoder.decode(value, { stream: true })
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end)
      from = end + 1
      if (line.startsWith('data: ') && line !== 'data: [DONE]') yield JSON.parse(line.slice('data: '.length))
    }
    rest = rest.slice(from)
  }
}
