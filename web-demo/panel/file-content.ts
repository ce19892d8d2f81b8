// What a file holds, and its way to the person's own disk.

const images: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** By the end of the name. No SVG: it is shown as the text it is. */
export function imageType(path: string): string | undefined {
  const end = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return Object.hasOwn(images, end) ? images[end] : undefined
}

/** The text of a file, or `undefined` where it is none. */
export function decodedFile(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8192).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function offerDownload(path: string, bytes: Uint8Array): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([new Uint8Array(bytes)]))
  link.download = path.slice(path.lastIndexOf('/') + 1)
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
